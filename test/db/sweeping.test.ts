import { expect, it } from '@jest/globals';
import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { passOver } from '../../activities/alive.ts';
import { failureInterceptor } from '../../activities/failure.ts';
import { type Sweep, type SweepPosition, sweep } from '../../src/db/sweeping.ts';
import { notFound } from '../../src/errors.ts';
import { createLog, passedOver } from '../../src/log.ts';

const TURN_MS = 5_000;
const logger = new DefaultLogger('ERROR');
const interceptors = [() => ({ inbound: failureInterceptor })];
const log = createLog({ level: 'silent', format: 'json' });

/** Until a sweep is finished, in activities that Temporal tries again; the sweep's clock moves by a turn each time. */
async function swept(work: Sweep): Promise<void> {
  let position: SweepPosition = { after: '', done: 0 };
  let now = 0;
  for (let attempt = 1, finished = false; !finished; ) {
    const activity = new MockActivityEnvironment({ attempt }, { logger, interceptors });
    const turn = async (): Promise<void> => {
      const control = { mayGoOn: () => true, now: () => (now += TURN_MS) };
      const failed = passOver(log, 'it fails');
      ({ position, finished } = await sweep(work, position, { ...control, failed }));
    };
    try {
      await activity.run(turn);
      attempt = 1;
    } catch (error) {
      // Temporal would not try it again.
      if (error instanceof ApplicationFailure && error.nonRetryable) throw error;
      attempt += 1;
    }
  }
}

it.each([
  ['fails', new Error('It fails.')],
  ['fails as a request would, which nobody tries again,', notFound('contact')],
])(
  'a workspace that %s is tried five times in a sweep, and once in each further round of those with much to do',
  async (_, error) => {
    const turns = { much: 0, fails: 0 };
    const before = passedOver();
    await swept({
      page: async () => ({ ids: ['fails', 'much'], last: true }),
      tend: async (id) => {
        turns[id as keyof typeof turns] += 1;
        if (id === 'fails') throw error;
        return turns.much < 4 ? 1 : 0;
      },
    });

    expect(turns).toEqual({ much: 4, fails: 5 + 3 });
    // Where it was passed over, which an alert watches.
    expect(passedOver() - before).toBe(1 + 3);
  },
);

const unexpected = (_: string, error: unknown): never => {
  throw error;
};

it('a sweep whose time is up goes on where it stopped, in the midst of a workspace, through all pages', async () => {
  const left: Record<string, number> = { a: 3, b: 2, c: 1 };
  let position: SweepPosition = { after: '', done: 0 };
  for (let finished = false; !finished; ) {
    let steps = 0;
    const work: Sweep = {
      page: async (after) => {
        const ids = Object.keys(left).filter((id) => id > after);
        return { ids: ids.slice(0, 1), last: ids.length <= 1 };
      },
      tend: async (id) => {
        const some = Math.min(1, left[id] ?? 0);
        left[id] = (left[id] ?? 0) - some;
        return some;
      },
    };
    const control = { mayGoOn: () => steps++ < 2, failed: unexpected };
    ({ position, finished } = await sweep(work, position, control));
  }

  expect([left, position.done]).toEqual([{ a: 0, b: 0, c: 0 }, 6]);
});
