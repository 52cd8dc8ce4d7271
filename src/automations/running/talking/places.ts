import type { Context, InWorkspace } from '../../../context.ts';
import { openConversation } from '../../../conversations/sending/opening.ts';
import { first } from '../../../db/sql.ts';
import { canSend, NUMBER_STATUSES, type NumberStatus } from '../../../numbers/rules.ts';
import type { AtStep } from '../effect.ts';

const SENDING = NUMBER_STATUSES.filter(canSend);

/**
 * The run's conversation. A run that began without one, through a form or a tag, uses the contact's latest
 * conversation on a number that can send, otherwise starts one on the first such number; from then on it is the run's
 * own.
 *
 * @returns null while no number can send, or for a deleted contact
 */
export async function placeToTalk(at: AtStep): Promise<string | null> {
  const { tx, run } = at;
  const { contactId } = run;
  if (run.conversationId !== null || contactId === null) return run.conversationId;
  // The same step may have opened it a moment ago.
  const own = await conversationOfRun(tx, run.id);
  if (own !== null) return own;
  const found = (await latestConversation(tx, contactId))?.id ?? (await begin(tx, contactId));
  if (found !== null) await makeOwn(at, found);
  return found;
}

const makeOwn = ({ tx, run }: AtStep, conversationId: string): Promise<unknown> =>
  tx.sql.rows(
    'update automation_runs set conversation_id = $3 where organization_id = $1 and id = $2',
    [tx.organizationId, run.id, conversationId],
  );

/**
 * The conversation that a step works with which says nothing in it: the run's, or else the contact's latest on whatever
 * number. It does not become the run's own, so that a later step that speaks still asks whether a person answers there.
 *
 * @returns null if the contact has none, or is deleted
 */
export async function placeAtHand({ tx, run }: AtStep): Promise<string | null> {
  const { contactId, conversationId } = run;
  if (conversationId !== null || contactId === null) return conversationId;
  return (await latestConversation(tx, contactId, NUMBER_STATUSES))?.id ?? null;
}

/**
 * A run that found a conversation and has given it to a member keeps it as its own: that member is no reason for it to
 * be silent there. Where the number cannot send, it speaks in another one.
 */
export async function keepAsGiven(at: AtStep, conversationId: string): Promise<void> {
  if (at.run.conversationId !== null || !(await canSendInto(at.tx, conversationId))) return;
  await makeOwn(at, conversationId);
}

/**
 * The number of the conversation that a run without one would find or open. While none can send, the one that it would
 * be if all could: it is waited for, and keeps its hours meanwhile. Null in a workspace without numbers.
 */
export async function numberToTalkOn(
  place: InWorkspace,
  contactId: string,
): Promise<string | null> {
  return (await numberToSendOn(place, contactId)) ?? numberAmong(place, contactId, NUMBER_STATUSES);
}

/** The same, but null while none can send. */
export const numberToSendOn = (place: InWorkspace, contactId: string): Promise<string | null> =>
  numberAmong(place, contactId, SENDING);

async function numberAmong(
  place: InWorkspace,
  contactId: string,
  statuses: readonly NumberStatus[],
): Promise<string | null> {
  const latest = await latestConversation(place, contactId, statuses);
  return latest?.numberId ?? firstNumber(place, statuses);
}

/**
 * Whether a run that had no conversation of its own until now would write where a person is answering, or take the
 * conversation from them. Automations leave it alone, unless their entry rules say otherwise (design decisions §9,
 * Handover). Locks the conversation, so that a person who is taking it over at this moment is seen.
 */
export async function isAnsweredByPerson(at: AtStep, conversationId: string): Promise<boolean> {
  const { tx, run } = at;
  if (run.conversationId !== null || !run.definition.entry.skip_if_handled_by_member) return false;
  const place = await first<{ answered: boolean; memberId: string | null }>(
    tx.sql,
    `select handled_by = 'member' and status = 'open' as answered, assigned_member_id as "memberId"
     from conversations where organization_id = $1 and id = $2 for no key update`,
    [tx.organizationId, conversationId],
    'is-answered-by-person',
  );
  if (!place?.answered) return false;
  return (await canSendInto(tx, conversationId)) || !(await hasGivenTo(at, place.memberId));
}

/** Whether the run has given somebody to this member, who then need not have answered them. */
async function hasGivenTo({ tx, run, before }: AtStep, memberId: string | null): Promise<boolean> {
  const giving = run.definition.steps.flatMap((step) =>
    step.type === 'assign' && step.member_id !== null && step.member_id === memberId
      ? [step.id]
      : [],
  );
  if (before.some(({ stepId }) => giving.includes(stepId))) return true;
  const taken = await first(
    tx.sql,
    `select 1 from automation_run_steps where organization_id = $1 and run_id = $2 and step_id = any($3)
     and status = 'succeeded' limit 1`,
    [tx.organizationId, run.id, giving],
    'run-has-given-to',
  );
  return taken !== null;
}

/** A conversation that the run has found just now; its own is locked along with it. */
export async function lockPlace({ tx, run }: AtStep, conversationId: string): Promise<void> {
  if (run.conversationId !== null) return;
  const lock = 'select from conversations where organization_id = $1 and id = $2 for no key update';
  await tx.sql.rows(lock, [tx.organizationId, conversationId], 'lock-place-of-run');
}

/** The conversation in the run's current row. */
export async function conversationOfRun(
  { sql, organizationId }: InWorkspace,
  runId: string,
): Promise<string | null> {
  const row = await first<{ id: string | null }>(
    sql,
    'select conversation_id as id from automation_runs where organization_id = $1 and id = $2',
    [organizationId, runId],
    'conversation-of-run',
  );
  return row?.id ?? null;
}

/** Whether the number of a conversation can send. */
export async function canSendInto(
  { sql, organizationId }: InWorkspace,
  conversationId: string,
): Promise<boolean> {
  const row = await first(
    sql,
    `select 1 from conversations v join numbers n on n.organization_id = $1 and n.id = v.number_id
     where v.organization_id = $1 and v.id = $2 and n.status = any($3::text[])`,
    [organizationId, conversationId, SENDING],
    'can-send-into',
  );
  return row !== null;
}

const latestConversation = (
  { sql, organizationId }: InWorkspace,
  contactId: string,
  statuses: readonly NumberStatus[] = SENDING,
): Promise<{ readonly id: string; readonly numberId: string } | null> =>
  first(
    sql,
    `select v.id, v.number_id as "numberId" from conversations v
     join numbers n on n.organization_id = $1 and n.id = v.number_id
     where v.organization_id = $1 and v.contact_id = $2 and n.status = any($3::text[])
     order by coalesce(v.last_message_at, v.created_at) desc, v.id desc limit 1`,
    [organizationId, contactId, statuses],
  );

async function firstNumber(
  { sql, organizationId }: InWorkspace,
  statuses: readonly NumberStatus[] = SENDING,
): Promise<string | null> {
  const row = await first<{ id: string }>(
    sql,
    'select id from numbers where organization_id = $1 and status = any($2::text[]) order by id limit 1',
    [organizationId, statuses],
  );
  return row?.id ?? null;
}

async function begin(tx: Context, contactId: string): Promise<string | null> {
  const numberId = await firstNumber(tx);
  return numberId && openConversation(tx, { numberId, contactId });
}

/** The number of a conversation, `num_…`; null if there is no such conversation. */
export async function numberOfPlace(
  { sql, organizationId }: InWorkspace,
  conversationId: string,
): Promise<string | null> {
  const row = await first<{ id: string }>(
    sql,
    'select number_id as id from conversations where organization_id = $1 and id = $2',
    [organizationId, conversationId],
    'number-of-conversation',
  );
  return row?.id ?? null;
}
