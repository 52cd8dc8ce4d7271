import type { Context } from '../../../context.ts';
import { first } from '../../../db/sql.ts';
import { attendedAt, attendedUntil } from '../../../numbers/hours.ts';
import type { DayHours } from '../../../numbers/rules.ts';
import { timeZoneOf } from '../../../workspaces/service.ts';
import type { Output } from '../effect.ts';
import { numberToTalkOn } from '../talking/places.ts';
import type { Known } from './comparing.ts';

/** Who conditions and texts are about. */
export interface Subject {
  readonly contactId: string | null;
  readonly conversationId: string | null;
  /** The message that the run began with or took as a reply last; while it waits for a condition, a later one. */
  readonly messageId: string | null;
  /** For the outputs of its steps. */
  readonly runId: string | null;
}

type Reader = Pick<Context, 'sql' | 'organizationId' | 'now'>;

/** The message that the run is about; null if no message started it. */
export const messageOf = async (
  { sql, organizationId }: Reader,
  { messageId }: Subject,
): Promise<{ readonly text: string; readonly type: string } | null> =>
  messageId === null
    ? null
    : first(
        sql,
        'select text, type from messages where organization_id = $1 and id = $2',
        [organizationId, messageId],
        'message-of-run',
      );

/** The output of each step the last time it was taken, by step id. */
export async function outputsOf(
  { sql, organizationId }: Reader,
  { runId }: Subject,
): Promise<ReadonlyMap<string, Output>> {
  if (runId === null) return new Map();
  const rows = await sql.rows<{ stepId: string; output: Output }>(
    `select distinct on (step_id) step_id as "stepId", output from automation_run_steps
     where organization_id = $1 and run_id = $2 and output is not null order by step_id, seq desc`,
    [organizationId, runId],
    'outputs-of-run',
  );
  return new Map(rows.map(({ stepId, output }) => [stepId, output]));
}

interface Talk {
  readonly numberId: string;
  readonly teamId: string | null;
  readonly memberId: string | null;
  readonly handledBy: string;
  readonly hours: readonly DayHours[] | null;
}

const talkOf = async (
  { sql, organizationId }: Reader,
  { conversationId }: Subject,
): Promise<Talk | null> =>
  conversationId === null
    ? null
    : first<Talk>(
        sql,
        `select v.number_id as "numberId", v.assigned_team_id as "teamId", v.assigned_member_id as "memberId",
           v.handled_by as "handledBy", n.hours
         from conversations v join numbers n on n.organization_id = $1 and n.id = v.number_id
         where v.organization_id = $1 and v.id = $2`,
        [organizationId, conversationId],
        'talk-of-run',
      );

/** The hours of the number that the run speaks on, or would: finding its conversation is left to the steps that speak. */
async function hoursFor(
  tx: Reader,
  talk: Talk | null,
  { contactId }: Subject,
): Promise<Talk['hours']> {
  if (talk || contactId === null) return talk?.hours ?? null;
  const row = await first<Pick<Talk, 'hours'>>(
    tx.sql,
    'select hours from numbers where organization_id = $1 and id = $2',
    [tx.organizationId, await numberToTalkOn(tx, contactId)],
    'hours-of-number',
  );
  return row?.hours ?? null;
}

/** `conversation.*` and `now.in_hours`. Where there is no number there are no hours, which counts as always open. */
export async function conversationFacts(
  tx: Reader,
  subject: Subject,
): Promise<Readonly<Record<string, Known>>> {
  const talk = await talkOf(tx, subject);
  return {
    'conversation.number_id': talk?.numberId,
    'conversation.team_id': talk?.teamId,
    'conversation.member_id': talk?.memberId,
    'conversation.handled_by': talk?.handledBy,
    'now.in_hours': attendedAt(await hoursFor(tx, talk, subject), tx.now, await timeZoneOf(tx)),
  };
}

/** When `now.in_hours` changes next; null if it does not. */
export async function hoursEnd(tx: Reader, subject: Subject): Promise<Date | null> {
  const hours = await hoursFor(tx, await talkOf(tx, subject), subject);
  return attendedUntil(hours, tx.now, await timeZoneOf(tx));
}

/** The contact's own zone, otherwise the workspace's. */
export async function zoneOf(tx: Reader, { contactId }: Subject): Promise<string> {
  const row = await first<{ zone: string | null }>(
    tx.sql,
    'select time_zone as zone from contacts where organization_id = $1 and id = $2',
    [tx.organizationId, contactId],
    'zone-of-contact',
  );
  return row?.zone ?? timeZoneOf(tx);
}
