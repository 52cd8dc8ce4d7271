import { Context } from '@temporalio/activity';

const HEARTBEAT_EVERY_MS = 1_000;

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
