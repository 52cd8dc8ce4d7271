import type { Keyring } from '../../crypto/keyring.ts';
import type { Clock } from '../../db/clock.ts';
import { BY_INDEX, type Database, inWorkspace } from '../../db/database.ts';
import type { Sql } from '../../db/sql.ts';
import { GROUP_LANE, type Slots, withFreeSlots, withSlots } from '../../numbers/pacer.ts';
import { LEASE_AHEAD_MS } from '../../numbers/pacing.ts';
import { NUMBER_PATIENCE_MS } from '../../numbers/rules.ts';
import { type SendingNumber, sendingNumber } from '../../numbers/sending.ts';
import { endOf, type LoadedMessage, loadMessages, obstacleTo } from './checking.ts';
import { lostOutcome, type Outcome, retryOutcome } from './outcomes.ts';
import { markSending, type Settlement } from './settling.ts';

/** A message that may leave as far as its last check could tell. */
export interface Checked {
  readonly organizationId: string;
  readonly number: SendingNumber;
  readonly message: LoadedMessage;
}

/** A message whose intent is committed: it will be sent once, or reported as `unconfirmed`. */
export interface Ready extends Checked {
  /** Milliseconds until its slot. */
  readonly afterMs: number;
}

export interface Prepared {
  readonly ready: readonly Ready[];
  /** WhatsApp does not have their files yet; once it has, they are prepared anew, since much may change meanwhile. */
  readonly fileless: readonly Checked[];
  /** Lost, or returned to the queue. */
  readonly settled: readonly Settlement[];
  /** The number accepts nothing for this long; 0 if it accepts messages. */
  readonly restMs: number;
}

interface Parts {
  readonly database: Pick<Database, 'app'>;
  readonly keyring: Keyring;
  readonly clock: Clock;
}

interface Batch {
  readonly organizationId: string;
  readonly numberId: string;
  readonly ids: readonly string[];
  readonly token: string;
}

/** The time between checks of a number that is down. */
const LOOK_AGAIN_MS = 5_000;
const LEAST_WAIT_MS = 20;

/** Checks the messages of one number a last time, reserves their slots and commits the intents. */
export const prepare = ({ database, keyring, clock }: Parts, batch: Batch): Promise<Prepared> =>
  inWorkspace(
    database,
    batch.organizationId,
    async (sql) => {
      const now = clock.now();
      const { organizationId, numberId } = batch;
      // First: what is not wanted waits for no number.
      const { settled, left } = judged(await loadMessages(sql, batch, now), endOf);
      if (left.length === 0) return none(settled, 0);
      const number = await sendingNumber(sql, keyring, organizationId, numberId);
      const prepared = number?.canSend
        ? await leave({ sql, batch, number, now }, left)
        : waitFor(left, number, now);
      return { ...prepared, settled: [...settled, ...prepared.settled] };
    },
    BY_INDEX,
  );

/** Those that have an outcome already, and those that are left. */
function judged(
  messages: readonly LoadedMessage[],
  outcomeOf: (message: LoadedMessage) => Outcome | null,
) {
  const outcomes = messages.map((message) => ({ message, outcome: outcomeOf(message) }));
  return {
    settled: outcomes.flatMap(({ message: { id }, outcome }) =>
      outcome ? [{ messageId: id, outcome }] : [],
    ),
    left: outcomes.filter(({ outcome }) => !outcome).map(({ message }) => message),
  };
}

async function leave(at: Slotted, messages: readonly LoadedMessage[]): Promise<Prepared> {
  const { batch, number, now } = at;
  if (number.heldMs > 0) return none(backAfter(messages, number.heldMs), number.heldMs);
  const { settled, left } = judged(messages, (each) => obstacleTo(each, number.hasWindow, now));
  const whole = left.filter((message) => !needsUpload(message));
  const people = await take(
    at,
    whole.filter(({ isGroup }) => !isGroup),
  );
  const groups = await take(
    at,
    whole.filter(({ isGroup }) => isGroup),
  );
  return {
    ready: [...people.ready, ...groups.ready],
    fileless: left
      .filter(needsUpload)
      .map((message) => ({ organizationId: batch.organizationId, number, message })),
    settled: [...settled, ...people.settled, ...groups.settled],
    restMs: people.restMs,
  };
}

const needsUpload = ({ mediaId, uploadedAs }: LoadedMessage): boolean =>
  mediaId !== null && uploadedAs === null;

const none = (settled: readonly Settlement[], restMs: number): Prepared => ({
  ready: [],
  fileless: [],
  settled,
  restMs,
});

const backAfter = (messages: readonly LoadedMessage[], delayMs: number): Settlement[] =>
  messages.map(({ id }) => ({ messageId: id, outcome: retryOutcome(delayMs, false) }));

/** One a slot; people's replies as early as theirs can be leased, before what was given its time for that slot long ago. */
const backBySlot = (
  messages: readonly LoadedMessage[],
  firstInMs: number,
  everyMs: number,
): Settlement[] =>
  messages.map(({ id, source }, place) => {
    const inMs = firstInMs + place * everyMs - (source === 'member' ? LEASE_AHEAD_MS : 0);
    return { messageId: id, outcome: retryOutcome(Math.max(LEAST_WAIT_MS, inMs), false) };
  });

/**
 * The number is down: messages that have waited an hour for it are lost, the others keep waiting. The time before it
 * went down, when they waited for their turn, does not count.
 */
function waitFor(
  messages: readonly LoadedMessage[],
  number: SendingNumber | null,
  now: Date,
): Prepared {
  const downSince = number?.downSince?.getTime() ?? 0;
  const settled = messages.map(({ id, createdAt }): Settlement => {
    const tooLate = now.getTime() - Math.max(createdAt.getTime(), downSince) >= NUMBER_PATIENCE_MS;
    const outcome = tooLate
      ? lostOutcome('number_unavailable', 'The number was not connected for an hour.')
      : retryOutcome(LOOK_AGAIN_MS, false);
    return { messageId: id, outcome };
  });
  const someWait = settled.some(({ outcome }) => outcome.status === 'queued');
  return none(settled, someWait ? LOOK_AGAIN_MS : 0);
}

interface Slotted {
  readonly sql: Sql;
  readonly batch: Batch;
  readonly number: SendingNumber;
  readonly now: Date;
}

/**
 * Commits intents for as many messages as the pacer has slots for; the others return to the queue until there is one.
 */
async function take(
  { sql, batch, number, now }: Slotted,
  messages: readonly LoadedMessage[],
): Promise<Prepared> {
  if (messages.length === 0) return none([], 0);
  const { organizationId, numberId, token } = batch;
  const isGroup = messages[0]?.isGroup === true;
  const pace = {
    organizationId,
    numberId,
    ceilingPerMinute: number.ceilingPerMinute,
    lanes: isGroup ? [GROUP_LANE] : [],
  };
  const want = number.probing ? 1 : messages.length;
  const use = async ({ count }: Slots) => {
    const ids = messages.slice(0, count).map(({ id }) => id);
    const intended = await markSending(sql, { organizationId, token, now }, ids);
    return { used: intended.size, result: messages.filter(({ id }) => intended.has(id)) };
  };
  const leased =
    number.isFree && !isGroup ? withFreeSlots(want, use) : withSlots(sql, pace, want, use);
  const { slots, result: mine } = await leased;
  const ready = mine.map((message, place) => ({
    organizationId,
    number,
    message,
    afterMs: Math.max(0, slots.firstInMs + place * slots.intervalMs),
  }));
  const waitMs = Math.max(LEAST_WAIT_MS, slots.firstInMs + mine.length * slots.intervalMs);
  const left = messages.filter((message) => !mine.includes(message));
  // People's messages go on meanwhile, so the number does not rest: each group's message has a time of its own instead.
  if (isGroup) return { ...none(backBySlot(left, waitMs, slots.intervalMs), 0), ready };
  return { ...none(backAfter(left, waitMs), left.length > 0 ? waitMs : 0), ready };
}
