import { describe, expect, it } from '@jest/globals';
import type { DueAttempt } from '../../src/webhooks/lanes/intake.ts';
import { EndpointQueue } from '../../src/webhooks/lanes/queues.ts';
import { attemptOf as attempt } from './support/attempts.ts';

function aQueue(...taken: DueAttempt[]): EndpointQueue {
  const queue = new EndpointQueue(taken[0] ?? attempt(1));
  for (const one of taken) queue.push(one, 0);
  return queue;
}

describe('the queue of an endpoint', () => {
  it('tells of the oldest change that anything in it was taken under', () => {
    const queue = aQueue(attempt(1), attempt(2));
    expect(queue.revision).toBe(1);

    queue.clear();
    queue.push(attempt(2), 0);
    expect(queue.revision).toBe(2);
  });

  it('believes what a change says about failures, and an older reading no more', () => {
    const queue = aQueue(attempt(1, 4), attempt(2, 0), attempt(1, 4));
    expect(queue.failuresInRow).toBe(0);
  });
});
