import type { Client } from 'pg';
import { heldIn } from '../../db/advisory-locks.ts';

/** Each listening process holds a lock in this space, so that those who ask know how many there are. */
const LISTENERS = 7_261_006;
/** By then, a process that did not get the news has looked by itself, or hangs. */
export const LATEST_MS = 800;

/** Executed by each listening connection: from then on it is counted and waited for. */
export const LISTENING = `select pg_advisory_lock(${LISTENERS}, pg_backend_pid())`;

const OTHERS = `select count(*)::int as n ${heldIn(String(LISTENERS))} and objid <> $1::int`;

/** The connections of an asking process: one for sending, one for receiving. */
interface Line {
  readonly client: Pick<Client, 'query'>;
  readonly channel: string;
  /** The backend process id of the receiving connection. */
  readonly listenerId: number;
}

/** Finds out whether all other processes have acted on some news; each answers when it has. */
export interface Acknowledgements {
  /**
   * Resolves once every process listening now has answered, or too much time has passed. Rejects if the database is
   * down.
   */
  ask(line: Line, news: string): Promise<void>;
  /** Takes an answer; returns false for any other word. */
  heard(word: string): boolean;
}

/** The answer to a word, or null if it asks nothing. */
export const answerTo = (word: string): string | null =>
  word.startsWith('?') ? `!${word.slice(1)}` : null;

/**
 * @param latestMs how long answers are waited for
 */
export function createAcknowledgements(latestMs: number): Acknowledgements {
  const open = new Map<string, () => void>();
  let asked = 0;

  return {
    async ask({ client, channel, listenerId }, news) {
      // First those present are counted; a process that comes later starts from the rows anyway.
      const { rows } = await client.query<{ n: number }>(OTHERS, [listenerId]);
      let left = rows[0]?.n ?? 0;
      asked += 1;
      const id = `${listenerId}.${asked}`;
      const all = Promise.withResolvers<void>();
      open.set(id, () => {
        left -= 1;
        if (left === 0) all.resolve();
      });
      const late = setTimeout(all.resolve, left === 0 ? 0 : latestMs);
      try {
        // The news is sent as a separate word, so that processes of the previous release act on it too; they are not
        // waited for.
        await client.query(`notify ${channel}, '${news},?${id}'`);
        await all.promise;
      } finally {
        clearTimeout(late);
        open.delete(id);
      }
    },
    heard(word) {
      if (!word.startsWith('!')) return false;
      open.get(word.slice(1))?.();
      return true;
    },
  };
}
