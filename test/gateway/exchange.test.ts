import { expect, it } from '@jest/globals';
import { Dispatcher } from 'undici';
import { exchange } from '../../src/gateway/cloud-api/exchange.ts';

/** Holds a request until its turn, as connections do that are still being opened. */
class Queue extends Dispatcher {
  handler: Dispatcher.DispatchHandler | null = null;

  override dispatch(_: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    this.handler = handler;
    return true;
  }
}

const standStill = (ms: number): void => {
  for (const until = performance.now() + ms; performance.now() < until; );
};

it('asks nothing any more when the process stood still beyond the deadline, whose timer has not run yet', async () => {
  const queue = new Queue();
  const aborted: Error[] = [];
  const controller = { abort: (reason: Error) => void aborted.push(reason) };

  const answer = exchange(queue, { method: 'POST', path: '/' }, 50);
  standStill(100);
  queue.handler?.onRequestStart?.(controller as unknown as Dispatcher.DispatchController, {});

  expect(aborted).toHaveLength(1);
  await expect(answer).rejects.toThrow('no whole answer within 50 ms');
});
