import { describe, expect, it } from '@jest/globals';
import type { DueAttempt } from '../../../src/webhooks/lanes/first-attempts/intake.ts';
import { EndpointQueue, RoundRobin } from '../../../src/webhooks/lanes/first-attempts/queues.ts';
import { FAILING_AFTER } from '../../../src/webhooks/rules.ts';
import { attemptOf as attempt } from '../support/attempts.ts';

function aQueue(...taken: DueAttempt[]): EndpointQueue {
  const queue = new EndpointQueue(taken[0] ?? attempt(1));
  for (const one of taken) queue.push(one, 0);
  return queue;
}

describe('the turns of endpoints', () => {
  it('go round between workspaces, and within each between its endpoints', () => {
    const turns = new RoundRobin();
    const queues = ['one/a', 'one/b', 'one/c', 'two/d'].map((name) => {
      const [organizationId = '', endpointId = ''] = name.split('/');
      return new EndpointQueue({ ...attempt(1), organizationId, endpointId });
    });
    for (const queue of queues) turns.add(queue);

    const taken: string[] = [];
    for (let n = 0; n < 8; n += 1) {
      const queue = turns.next(() => true);
      if (!queue) throw new Error('nobody is left');
      taken.push(queue.endpointId);
      turns.add(queue);
    }

    expect(taken.join('')).toBe('adbdcdad');
  });
});

describe('the queue of an endpoint', () => {
  it('names the oldest change under which anything in it was taken', () => {
    const queue = aQueue(attempt(1), attempt(2));
    expect(queue.revision).toBe(1);

    queue.clear();
    queue.push(attempt(2), 0);
    expect(queue.revision).toBe(2);
  });

  it('trusts the failures counted under the newest change, not an older reading', () => {
    const queue = aQueue(attempt(1, 4), attempt(2, 0), attempt(1, 4));
    expect(queue.failuresInRow).toBe(0);
  });

  it.each([
    ['at once', 5, 250],
    ['as a busy process makes it seem', 100, 250],
    ['within 200 ms', 200, 160],
    ['just before it counts as slow', 900, 40],
  ])('of one that answers %s says how many it will answer soon', (_, durationMs, soon) => {
    const queue = aQueue(...Array.from({ length: 250 }, () => attempt(1)));
    const answer = { kind: 'delivered', error: null, code: 200, response: '' } as const;
    for (let n = 0; n < 100; n++) {
      queue.begun();
      queue.answered({ ...answer, retryAfterMs: null, durationMs });
    }

    // The mean is on its way to it.
    expect(queue.soon).toBeGreaterThanOrEqual(soon);
    expect(queue.soon).toBeLessThanOrEqual(soon + 8);
  });

  describe('that is known to fail', () => {
    const failed = { kind: 'failed', error: 'status', code: 500 } as const;
    const FAILED = { ...failed, durationMs: 1, response: '', retryAfterMs: null };

    /** Five have failed, so many are in flight, and so many waited and went to the backlog. */
    function aFailingQueue({ inFlight, waited }: { inFlight: number; waited: number }) {
      const queue = aQueue(...Array.from({ length: FAILING_AFTER }, () => attempt(1)));
      const begin = (): void => {
        queue.shift();
        queue.begun();
      };
      for (let n = 0; n < FAILING_AFTER; n++) begin();
      for (let n = 0; n < FAILING_AFTER; n++) queue.answered(FAILED);
      for (let n = 0; n < inFlight + waited; n++) queue.push(attempt(1), 0);
      for (let n = 0; n < inFlight; n++) begin();
      queue.clear();
      return queue;
    }

    it.each([
      ['one that can begin at once is a probe', { inFlight: 7, waited: 0 }, false],
      ['one that would have to wait goes to the backlog', { inFlight: 8, waited: 0 }, true],
      ['none comes before what went to the backlog', { inFlight: 0, waited: 1 }, true],
    ])('of what was read before, %s', (_, taken, overtakes) => {
      expect(aFailingQueue(taken).overtakes(attempt(1))).toBe(overtakes);
      expect(aFailingQueue(taken).overtakes(attempt(1, FAILING_AFTER))).toBe(false);
    });

    it('lets through what was read after a change, such as a resume, that made it healthy again', () => {
      expect(aFailingQueue({ inFlight: 8, waited: 1 }).overtakes(attempt(2))).toBe(false);
    });
  });
});
