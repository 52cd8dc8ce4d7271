import { reachable } from '../../../contacts/reaching.ts';
import type { Context } from '../../../context.ts';
import { insideWindow, type MessageTemplate } from '../../../conversations/rules.ts';
import { queueMessage } from '../../../conversations/sending/outgoing.ts';
import { first } from '../../../db/sql.ts';
import { canSend, NUMBER_PATIENCE_MS, type NumberStatus } from '../../../numbers/rules.ts';
import type { AtStep, Outcome } from '../effect.ts';
import { isAnsweredByPerson, placeToTalk } from './places.ts';

/** A message of an automation: a text, a file with an optional caption, or a template. */
export interface Saying {
  readonly text?: string | undefined;
  readonly mediaId?: string | undefined;
  readonly template?: MessageTemplate | undefined;
}

export type Failure = Outcome & { readonly kind: 'fail' };
type Waiting = Outcome & { readonly kind: 'wait' };

type Ending = Outcome & { readonly kind: 'end' };

/** The message was queued; or the step waits for its number, the run fails, or a person answers there. */
export type Said =
  | { readonly kind: 'said'; readonly messageId: string }
  | Waiting
  | Failure
  | Ending;

/** What a run does where people answer. */
export const leftToPeople: Ending = { kind: 'end', status: 'handed_over' };

/** The most automated messages in a conversation within an hour (design decisions §9, Loop guard). */
const MOST_AN_HOUR = 20;
/**
 * How many of a conversation's latest messages are counted: if fewer than one in five is automated, nothing loops.
 */
const LOOKED_AT = 5 * MOST_AN_HOUR;

/**
 * Queues a message of the run in the step's transaction, into the run's conversation or one that is found or opened
 * for it. If a person answers there by then, the run is handed over. Refused before anything is queued: a closed
 * window without a template, a contact who opted out or is blocked, and the 21st automated message within an hour.
 */
export async function say(
  at: AtStep,
  saying: Saying,
  as: 'automation' | 'ai' = 'automation',
): Promise<Said> {
  const conversationId = await placeToTalk(at);
  // Locking the run has locked its own conversation, but not one that was found just now.
  const held = at.run.conversationId !== null;
  const reach = conversationId === null ? null : await lockReach(at.tx, conversationId, held);
  if (conversationId === null || !reach || !canSend(reach.numberStatus)) return waitForNumber(at);
  if (await isAnsweredByPerson(at, conversationId)) return leftToPeople;
  const refused =
    (await refusalOf(at, conversationId, reach)) ?? closedTo(reach, saying, at.tx.now);
  if (refused) return refused;
  const { id: runId, automationId } = at.run;
  const messageId = await queueMessage(at.tx, {
    ...saying,
    conversationId,
    source: 'automation',
    automationId,
    runId,
    byAi: as === 'ai',
    handledBy: as,
  });
  return { kind: 'said', messageId };
}

/**
 * Why no words could be said in the conversation, for a step that pays for its words first. A closed window is left to
 * `say`: what is paid for may be that a person is called.
 */
export async function refusalBefore(at: AtStep, conversationId: string): Promise<Failure | null> {
  const reach = await lockReach(at.tx, conversationId, at.run.conversationId !== null);
  return reach && refusalOf(at, conversationId, reach);
}

interface Reach {
  readonly numberStatus: NumberStatus;
  readonly hasWindow: boolean;
  readonly windowExpiresAt: Date | null;
  readonly optedOut: boolean;
  readonly blocked: boolean;
  readonly reachable: boolean;
  /** Automated messages within the hour, if they could be counted at the same time. */
  readonly said?: number;
}

const AUTOMATED = `
select count(*) filter (where source = 'automation' and created_at > $3::timestamptz - interval '1 hour')::int as said from (
  select source, created_at from messages where organization_id = $1 and conversation_id = $2
  order by id desc limit ${LOOKED_AT}) latest`;

const reaching = (more: string): string => `
select n.status as "numberStatus", n.window_24h as "hasWindow", v.window_expires_at as "windowExpiresAt",
  c.opted_out as "optedOut", c.blocked, ${reachable('$3')} as reachable${more}
from conversations v
join numbers n on n.organization_id = $1 and n.id = v.number_id
join contacts c on c.organization_id = $1 and c.id = v.contact_id
where v.organization_id = $1 and v.id = $2 for no key update of v`;

const REACH = reaching('');
const REACH_AND_SAID = reaching(`, (${AUTOMATED}) as said`);

/**
 * Locked, so that of two runs the second counts the first one's messages.
 *
 * @param isHeld whether this transaction has locked it already, so that earlier messages are visible
 */
function lockReach(
  { sql, organizationId, now }: Context,
  conversationId: string,
  isHeld: boolean,
): Promise<Reach | null> {
  const params = [organizationId, conversationId, now];
  if (!isHeld) return first<Reach>(sql, REACH, params, 'reach-of-run');
  return first<Reach>(sql, REACH_AND_SAID, params, 'reach-of-held-run');
}

const failure = (code: Failure['code'], message: string): Failure => ({
  kind: 'fail',
  code,
  message,
});

async function refusalOf(
  { tx }: AtStep,
  conversationId: string,
  reach: Reach,
): Promise<Failure | null> {
  if (reach.optedOut) return failure('send_failed', 'The contact wants no messages.');
  if (reach.blocked) return failure('send_failed', 'The contact is blocked.');
  if (!reach.reachable) return failure('send_failed', 'The contact has no phone on WhatsApp.');
  const { said = await automated(tx, conversationId) } = reach;
  return said >= MOST_AN_HOUR ? looping : null;
}

function closedTo(reach: Reach, { template }: Saying, now: Date): Failure | null {
  if (!reach.hasWindow || template || insideWindow(reach.windowExpiresAt, now)) return null;
  const message = 'The 24-hour window is closed: only an approved template may be sent.';
  return failure('out_of_window', message);
}

const looping = failure(
  'loop_detected',
  `Automations sent ${MOST_AN_HOUR} messages to the contact within an hour.`,
);

async function automated(
  { sql, organizationId, now }: Context,
  conversationId: string,
): Promise<number> {
  const params = [organizationId, conversationId, now];
  const row = await first<{ said: number }>(sql, AUTOMATED, params, 'automated-messages');
  return row?.said ?? 0;
}

/** The step checks again from time to time, for an hour in all. */
export function waitForNumber({ tx, run }: Pick<AtStep, 'tx' | 'run'>): Waiting | Failure {
  const since = run.waitsFor === 'condition' ? run.waitUntil : null;
  const until = since ?? new Date(tx.now.getTime() + NUMBER_PATIENCE_MS);
  if (until > tx.now) return { kind: 'wait', for: 'condition', until };
  return failure('number_unavailable', 'No number could send for an hour.');
}
