import { setTimeout as sleep } from 'node:timers/promises';

const TRIES = 20;
const LONGEST_PAUSE_MS = 1_000;

/**
 * Repeats what is safe to repeat, such as recording an outcome, for some seventeen seconds: as long as a database takes
 * to restart or to be replaced. Rejects as the last try did.
 */
export async function untilWritten<T>(write: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await write();
    } catch (error) {
      if (attempt === TRIES) throw error;
      await sleep(Math.min(LONGEST_PAUSE_MS, 50 * 2 ** attempt));
    }
  }
}

/**
 * Acts on what an answer says, then records it, however acting ended: afterwards nobody looks at the answer again, and
 * the process may end in between.
 *
 * @param act safe to repeat
 */
export async function actThenWrite(
  act: () => Promise<void>,
  write: () => Promise<void>,
): Promise<void> {
  try {
    await untilWritten(act);
  } finally {
    await write();
  }
}
