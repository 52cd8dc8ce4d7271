import { setTimeout as sleep } from 'node:timers/promises';
import { actThenWrite, untilWritten } from '../../db/until-written.ts';
import type { Settlement } from './settling.ts';

export interface Settler {
  add(settlement: Settlement): void;
  /** Resolves once everything added has been recorded. */
  written(): Promise<void>;
}

interface Acting {
  readonly callsFor: (settlement: Settlement) => boolean;
  /** Safe to repeat. */
  readonly act: (batch: readonly Settlement[]) => Promise<void>;
}

/** Between statements: short enough to record an answer soon, long enough to write many at once. */
const GATHER_MS = 100;
const MOST_AT_ONCE = 400;

/**
 * Records answers in bulk, one statement at a time. While the database is down it keeps trying: an answer not
 * recorded within the lease is reported as `unconfirmed`, although it was sent.
 *
 * @param act on the answers that call for more than being recorded, and before they are
 */
export function createSettler(
  write: (batch: readonly Settlement[]) => Promise<void>,
  { callsFor, act }: Acting,
): Settler {
  let gathered: Settlement[] = [];
  let writing: Promise<void> | null = null;
  let awaited = 0;
  let goOn = (): void => {};

  /** Whoever waits for all to be written waits for no more of it. */
  const gather = async (): Promise<void> => {
    if (awaited > 0) return;
    const hurry = new AbortController();
    goOn = () => hurry.abort();
    await sleep(GATHER_MS, undefined, { signal: hurry.signal }).catch(() => {});
  };

  /** Those of the batch that call for nothing come first: their lease does not wait for anybody's contact. */
  const record = async (batch: readonly Settlement[]): Promise<void> => {
    const { others = [], acted = [] } = Object.groupBy(batch, (each) =>
      callsFor(each) ? 'acted' : 'others',
    );
    if (others.length > 0) await untilWritten(() => write(others));
    if (acted.length === 0) return;
    await actThenWrite(
      () => act(acted),
      () => untilWritten(() => write(acted)),
    );
  };

  const run = async (): Promise<void> => {
    await gather();
    while (gathered.length > 0) {
      const batch = gathered.slice(0, MOST_AT_ONCE);
      gathered = gathered.slice(MOST_AT_ONCE);
      await record(batch);
      if (gathered.length > 0 && gathered.length < MOST_AT_ONCE) await gather();
    }
    writing = null;
  };

  const start = (): Promise<void> => {
    writing ??= run();
    // Handled here only to avoid an unhandled rejection; `written` rejects with it.
    writing.catch(() => {});
    return writing;
  };

  return {
    add: (settlement) => {
      gathered.push(settlement);
      void start();
    },
    written: async () => {
      awaited += 1;
      goOn();
      try {
        while (gathered.length > 0 || writing) await start();
      } finally {
        awaited -= 1;
      }
    },
  };
}
