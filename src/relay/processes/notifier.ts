import { createTokenBucket } from '../throttling.ts';
import { type PersistentConnection, persistentConnection } from './persistent-connection.ts';

/** Sends messages from one process to all others. */
export interface Notifier {
  /** A word of a few letters, sent in one notification with others of the same moment. */
  say(word: string): void;
  /** The sending connection, once its first attempt to connect is over. */
  line(): Promise<PersistentConnection>;
  /** The backend process id of that connection, null while there is none. */
  readonly processId: number | null;
  close(): Promise<void>;
}

/** How many in a row, and the average interval in milliseconds. */
const AT_ONCE = 4;
const APART_MS = 10;

/**
 * NOTIFY uses its own connection, at most a hundred times a second: inside the business transaction its lock would
 * make commits queue up. Two commits shortly after each other are announced at once, because one workspace must not
 * delay another's. What is said without a connection is lost.
 */
export function createNotifier(url: string, channel: string): Notifier {
  const pending = new Set<string>();
  const allowance = createTokenBucket(AT_ONCE, APART_MS);
  let connection: PersistentConnection | null = null;
  let quiet: NodeJS.Timeout | null = null;
  let speaking = false;
  let closed = false;

  async function line(): Promise<PersistentConnection> {
    connection ??= persistentConnection({
      url,
      // Notifications are not stored, so nothing has to reach the disk.
      prepare: async (client) => {
        await client.query('set synchronous_commit = off');
      },
    });
    await connection.ready;
    return connection;
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
    // One statement at a time; words that come meanwhile go with the next one.
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
      return connection?.processId ?? null;
    },
    async close() {
      closed = true;
      if (quiet) clearTimeout(quiet);
      await connection?.close();
    },
  };
}
