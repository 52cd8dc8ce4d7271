import { createAllowance } from '../spacing.ts';
import { type Standing, standingConnection } from './standing.ts';

/** What one process says to all others. */
export interface Telling {
  /** Words of a few letters, in one notification with what else is said at the moment. */
  say(word: string): void;
  /** The connection it speaks through, as soon as its first try to connect is over. */
  line(): Promise<Standing>;
  /** The server's process behind that connection, null while there is none. */
  readonly processId: number | null;
  close(): Promise<void>;
}

/** So many in a row, and on average one in so many milliseconds. */
const AT_ONCE = 4;
const APART_MS = 10;

/**
 * NOTIFY runs on a connection of its own and at most a hundred times a second: inside the business transaction
 * its lock would make commits queue up. Two commits close to each other are told at once, for what a busy
 * neighbour does must not hold up anybody's. What is said while there is no connection is lost.
 */
export function createTelling(url: string, channel: string): Telling {
  const pending = new Set<string>();
  const allowance = createAllowance(AT_ONCE, APART_MS);
  let standing: Standing | null = null;
  let quiet: NodeJS.Timeout | null = null;
  let speaking = false;
  let closed = false;

  async function line(): Promise<Standing> {
    standing ??= standingConnection({
      url,
      // A notification is not kept: nothing of it has to reach the disk.
      prepare: async (client) => {
        await client.query('set synchronous_commit = off');
      },
    });
    await standing.ready;
    return standing;
  }

  async function tell(): Promise<void> {
    const { client } = await line();
    const words = [...pending].join();
    pending.clear();
    await client?.query(`notify ${channel}, '${words}'`);
  }

  function speak(): void {
    if (closed || quiet || pending.size === 0 || speaking) return;
    const waitMs = allowance.take();
    if (waitMs > 0) {
      quiet = setTimeout(() => {
        quiet = null;
        speak();
      }, waitMs);
      return;
    }
    // One statement at a time: what comes meanwhile goes with the next.
    speaking = true;
    void tell()
      .catch(() => {})
      .then(() => {
        speaking = false;
        speak();
      });
  }

  return {
    say(word) {
      pending.add(word);
      queueMicrotask(speak);
    },
    line,
    get processId() {
      return standing?.processId ?? null;
    },
    async close() {
      closed = true;
      if (quiet) clearTimeout(quiet);
      await standing?.close();
    },
  };
}
