import type { Wake } from '../../context.ts';
import type { Keyring } from '../../crypto/keyring.ts';
import type { Clock } from '../../db/clock.ts';
import { type Database, sqlOver } from '../../db/database.ts';
import type { WhatsApp } from '../../gateway/port.ts';
import type { Log } from '../../log.ts';
import { createUploader } from '../../media/uploading.ts';
import { onBehalfOf } from '../../tracing/spans.ts';
import { type Taken, takeDue } from './claims.ts';
import { retryOutcome } from './outcomes.ts';
import { createPlaces } from './places.ts';
import { type PostingParts, post, uploadFile, type Written } from './posting.ts';
import { type Checked, prepare } from './preparing.ts';
import { createSettler } from './settler.ts';
import type { Settlement } from './settling.ts';

export interface LaneParts extends PostingParts {
  readonly database: Database;
  readonly gateway: WhatsApp;
  readonly keyring: Keyring;
  readonly clock: Clock;
  /** This process's token for what it takes. */
  readonly token: string;
  readonly log: Log;
  /** Wakes the relays after events were recorded. */
  readonly wake: Wake;
  /** A message was settled, or waits for its file: there is room for more, and the next one of its conversation may go. */
  readonly onRoom: () => void;
}

export interface OutgoingLane {
  /**
   * Takes due messages and sends them in the background.
   *
   * @returns whether more may be due
   */
  work(): Promise<boolean>;
  readonly inFlight: number;
  /** The messages in flight: whatever else carries this process's token was forgotten. */
  held(): string[];
  /** How many messages this process sent, by outcome. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** Resolves once everything in flight has been recorded. */
  stop(): Promise<void>;
}

/** Limits on messages in flight beside the uploads: in this process, and per number. */
const MOST = 128;
const MOST_OF_NUMBER = 32;
const AT_ONCE = 64;
/** Messages that could not be prepared are tried again after this long. */
const AFTER_FAILURE_MS = 2_000;

/**
 * Sends queued messages one by one, without a workflow for each: take, check, commit the intent, ask WhatsApp, record
 * the answer (architecture, Sending WhatsApp messages).
 */
export function createOutgoingLane(parts: LaneParts): OutgoingLane {
  const { database, token, log } = parts;
  const withUpload = { ...parts, upload: createUploader(parts) };
  const settler = createSettler(parts);
  const places = createPlaces(MOST_OF_NUMBER);
  const running = new Set<Promise<void>>();

  /** Handles the messages taken for one number; when it resolves, each was sent, returned or lost. */
  async function handle(
    numberId: string,
    taken: readonly Taken[],
    done: (messageId: string) => void,
  ): Promise<void> {
    const [{ organizationId } = { organizationId: '' }] = taken;
    const traces = new Map(taken.map(({ messageId, trace }) => [messageId, trace]));
    const write = async (settlement: Settlement): Promise<void> => {
      await settler.add(organizationId, settlement);
      done(settlement.messageId);
    };
    const one = ({ message: { id } }: Checked, work: (written: Written) => Promise<void>) =>
      onBehalfOf(traces.get(id) ?? null, () =>
        work((outcome) => write({ messageId: id, outcome })),
      );

    async function send(ids: readonly string[]): Promise<void> {
      const batch = { organizationId, numberId, ids, token };
      const prepared = prepare(parts, batch).catch((error) => returnAll(ids, write, error));
      const { ready, fileless, settled, restMs } = await prepared;
      places.rest(numberId, restMs);
      if (restMs > 0) setTimeout(parts.onRoom, restMs).unref();
      await allOf([
        ...settled.map(write),
        ...ready.map((each) => one(each, (written) => post(parts, places, each, written))),
        ...fileless.map((each) =>
          one(each, async (written) => {
            if (await uploadFile(withUpload, places, each, written)) await send([each.message.id]);
          }),
        ),
      ]);
    }

    await send(taken.map(({ messageId }) => messageId));
  }

  function launch(numberId: string, taken: readonly Taken[]): void {
    const own = new Set(taken.map(({ messageId }) => messageId));
    const free = (gone: readonly string[]): void => {
      // What was settled may have been taken again since; it is then in the hand of that batch.
      const left = gone.filter((id) => own.delete(id));
      if (places.leave(numberId, left) > 0) parts.onRoom();
    };
    places.occupy(numberId, [...own]);
    const work = handle(numberId, taken, (id) => free([id]))
      // The rows keep this process's token; the sweep finds that nobody has them in hand.
      .catch((err: unknown) => log.error({ err, numberId }, 'messages could not be sent yet'))
      .finally(() => {
        free([...own]);
        running.delete(work);
      });
    running.add(work);
  }

  return {
    async work() {
      const limit = Math.min(AT_ONCE, MOST - places.inLane);
      if (limit <= 0) return false;
      const request = { token, held: places.held(), limit, except: places.unavailable() };
      const taken = await takeDue(sqlOver(database.system), request);
      const byNumber = Map.groupBy(taken, (each) => each.numberId);
      for (const [numberId, own] of byNumber) launch(numberId, own);
      return taken.length === limit;
    },
    get inFlight() {
      return places.inFlight;
    },
    held: places.held,
    outcomes: settler.outcomes,
    stop: () => Promise.all(running).then(() => settler.written()),
  };
}

/** Their intents may be committed, without an answer that says so; WhatsApp was certainly not asked. */
async function returnAll(
  ids: readonly string[],
  write: (settlement: Settlement) => Promise<void>,
  error: unknown,
): Promise<never> {
  const outcome = retryOutcome(AFTER_FAILURE_MS, false);
  await Promise.all(ids.map((messageId) => write({ messageId, outcome })));
  throw error;
}

/** Waits for the end of all, so that one that fails ends none of the others; then fails as the first that did. */
async function allOf(works: readonly Promise<void>[]): Promise<void> {
  for (const end of await Promise.allSettled(works))
    if (end.status === 'rejected') throw end.reason;
}
