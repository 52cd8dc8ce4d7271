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

const itsTurn = (queue: Queue): Error[] => {
  const aborted: Error[] = [];
  const controller = { abort: (reason: Error) => void aborted.push(reason) };
  queue.handler?.onRequestStart?.(controller as unknown as Dispatcher.DispatchController, {});
  return aborted;
};

it('asks nothing any more when the process stood still beyond the deadline, whose timer has not run yet', async () => {
  const queue = new Queue();

  const answer = exchange(queue, { method: 'POST', path: '/' }, 50);
  standStill(100);

  expect(itsTurn(queue)).toHaveLength(1);
  await expect(answer).rejects.toMatchObject({ code: 'NOT_STARTED' });
});

it('asks nothing any more when half of its time is over before its turn', async () => {
  const queue = new Queue();

  const answer = exchange(queue, { method: 'POST', path: '/' }, 1_000);
  standStill(600);

  expect(itsTurn(queue)).toHaveLength(1);
  await expect(answer).rejects.toMatchObject({ code: 'NOT_STARTED' });
});

it('asks nothing any more when its turn comes after it gave up', async () => {
  const queue = new Queue();

  const answer = exchange(queue, { method: 'POST', path: '/' }, 50);

  await expect(answer).rejects.toMatchObject({ code: 'NOT_STARTED' });
  expect(itsTurn(queue)).toHaveLength(1);
});

it.each([
  ['ended before its turn proves that nothing was sent', false, 'NOT_STARTED'],
  ['ended after its turn proves nothing', true, 'ECONNRESET'],
])('a connection that %s', async (_, begun, code) => {
  const queue = new Queue();

  const answer = exchange(queue, { method: 'POST', path: '/' }, 10_000);
  if (begun) itsTurn(queue);
  const reset = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
  const none = null as unknown as Dispatcher.DispatchController;
  queue.handler?.onResponseError?.(none, reset);

  await expect(answer).rejects.toMatchObject({ code });
});
