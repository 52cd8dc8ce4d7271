import { Context } from '@temporalio/activity';
import { messageOf, unavailable } from '../src/errors.ts';
import { type Log, logPassedOver } from '../src/log.ts';

const HEARTBEAT_EVERY_MS = 1_000;
/** So often a workspace that fails is tried again; then the others have their turn, and it the next time. */
const TRIES = 5;

/** Heartbeats say that the worker lives, nothing more: how far the work came is in the rows. */
export async function alive<T>(work: (stopped: AbortSignal) => Promise<T>): Promise<T> {
  const context = Context.current();
  context.heartbeat();
  const timer = setInterval(() => context.heartbeat(), HEARTBEAT_EVERY_MS);
  try {
    return await work(context.cancellationSignal);
  } finally {
    clearInterval(timer);
  }
}

/** The same for work in parts, which asks before each of them whether the time is up. */
export const aliveFor = <T>(ms: number, work: (mayGoOn: () => boolean) => Promise<T>): Promise<T> =>
  alive((stopped) => {
    const end = performance.now() + ms;
    return work(() => !stopped.aborted && performance.now() < end);
  });

/**
 * What becomes of a workspace that fails: the activity is tried again, or at last the workspace passed over; at once when
 * it comes round `again`, or it would hold up each round of those who have much to do.
 */
export function passOver(
  log: Log,
  words: string,
): (organizationId: string, error: unknown, again?: boolean) => void {
  const { attempt } = Context.current().info;
  return (organizationId, error, again = false) => {
    // Whatever it is, another try is worth it: one that no caller would repeat would end the whole sweep.
    if (attempt < TRIES && !again) throw unavailable(messageOf(error), { cause: error });
    logPassedOver(log, { err: error, organizationId }, words);
  };
}
