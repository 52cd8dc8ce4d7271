import { setTimeout as sleep } from 'node:timers/promises';
import type { Settlement } from './settling.ts';

export interface Settler {
  add(settlement: Settlement): void;
  /** Resolves when everything added is written down. */
  written(): Promise<void>;
}

/** Between statements: short enough that an answer is soon a fact, long enough to write many at once. */
const GATHER_MS = 100;
const MOST_AT_ONCE = 400;
const TRIES = 20;
const LONGEST_PAUSE_MS = 1_000;

/**
 * Writes answers down in bulk, one statement at a time. While the database is away it tries again: what
 * is not written within the lease is reported `unconfirmed`, although it was sent.
 */
export function createSettler(write: (batch: readonly Settlement[]) => Promise<void>): Settler {
  let gathered: Settlement[] = [];
  let writing: Promise<void> | null = null;

  const run = async (): Promise<void> => {
    await sleep(GATHER_MS);
    while (gathered.length > 0) {
      const batch = gathered.slice(0, MOST_AT_ONCE);
      gathered = gathered.slice(MOST_AT_ONCE);
      await persist(write, batch);
      if (gathered.length > 0 && gathered.length < MOST_AT_ONCE) await sleep(GATHER_MS);
    }
    writing = null;
  };

  const start = (): Promise<void> => {
    writing ??= run();
    // Heard here so that a failure waits for `written`, which rejects with it.
    writing.catch(() => {});
    return writing;
  };

  return {
    add: (settlement) => {
      gathered.push(settlement);
      void start();
    },
    written: async () => {
      while (gathered.length > 0 || writing) await start();
    },
  };
}

async function persist(
  write: (batch: readonly Settlement[]) => Promise<void>,
  batch: readonly Settlement[],
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await write(batch);
    } catch (error) {
      if (attempt === TRIES) throw error;
      await sleep(Math.min(LONGEST_PAUSE_MS, 50 * 2 ** attempt));
    }
  }
}
