import type { Client } from 'pg';
import { heldIn } from './advisory-locks.ts';

/** Each process that listens holds a lock of this space, so that whoever asks knows how many there are. */
const LISTENERS = 7_261_006;
/** By then whoever did not hear of it has looked by itself, or hangs. */
const LATEST_MS = 800;

/** Said by each connection that listens: from here on it is counted and waited for. */
export const LISTENING = `select pg_advisory_lock(${LISTENERS}, pg_backend_pid())`;

const OTHERS = `select count(*)::int as n ${heldIn(String(LISTENERS))} and objid <> $1::int`;

/** The connections of a process that asks: what it says, and what it hears. */
interface Line {
  readonly client: Pick<Client, 'query'>;
  readonly channel: string;
  /** The server's process behind what it hears. */
  readonly listenerId: number;
}

/** Whether all other processes have acted upon some news; each answers when it has. */
export interface Questions {
  /** Resolves when every process that listens now has answered, or too late. Rejects when the database is away. */
  ask(line: Line, news: string): Promise<void>;
  /** Takes an answer, and says false of any other word. */
  heard(word: string): boolean;
}

/** The word that answers this one, or null where it asks nothing. */
export const answerTo = (word: string): string | null =>
  word.startsWith('?') ? `!${word.slice(1)}` : null;

export function createQuestions(): Questions {
  const open = new Map<string, () => void>();
  let asked = 0;

  return {
    async ask({ client, channel, listenerId }, news) {
      // First who is there: whoever comes later begins with what the rows say.
      const { rows } = await client.query<{ n: number }>(OTHERS, [listenerId]);
      let left = rows[0]?.n ?? 0;
      asked += 1;
      const id = `${listenerId}.${asked}`;
      const all = Promise.withResolvers<void>();
      open.set(id, () => {
        left -= 1;
        if (left === 0) all.resolve();
      });
      const late = setTimeout(all.resolve, left === 0 ? 0 : LATEST_MS);
      try {
        // The news stands by itself: a process of the release before acts upon it, and is not waited for.
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
