import { expect } from '@jest/globals';
import { pauseEndpoint, resumeEndpoint } from '../../../../src/webhooks/pausing.ts';
import { eventually } from '../../../support/receiver.ts';
import { afterAttempt, HOUR_MS, moveTo, PRIVATE, type Scene } from './scene.ts';

/** A point in the life of a delivery whose endpoint answers 500. */
export interface Point {
  readonly name: string;
  readonly state: 'pending' | 'in flight' | 'waiting' | 'held' | 'failed' | 'blocked' | 'succeeded';
  /** Attempts made, the one in flight included. */
  readonly made: number;
  /** Brings the delivery there. What it answers lets go: of the attempt in flight until its record, of what is held. */
  reach(scene: Scene): Promise<() => Promise<void>>;
}

const nothing = (): Promise<void> => Promise.resolve();

const inFlight = (n: number): Point => ({
  name: `while attempt ${n} is in flight`,
  state: 'in flight',
  made: n,
  reach: async (scene) => {
    const { stage } = scene;
    const held = Promise.withResolvers<void>();
    scene.answer(async (nth) => {
      if (nth === n) await held.promise;
      return { status: 500 };
    });
    const going = n === 1 ? stage.settle() : stage.advance(afterAttempt(n));
    await eventually(() => scene.requests().length === n);
    return async () => {
      held.resolve();
      await going;
    };
  },
});

const waiting = (n: number): Point => ({
  name: `while it waits for attempt ${n + 1}`,
  state: 'waiting',
  made: n,
  reach: async ({ stage }) => {
    await stage.advance(afterAttempt(n));
    return nothing;
  },
});

/** For an hour before it and an hour after; a deleted endpoint stays so. */
export const HELD: Point = {
  name: 'while it is held after its second attempt',
  state: 'held',
  made: 2,
  reach: async (scene) => {
    const { stage, endpointId } = scene;
    await stage.advance(afterAttempt(2));
    await pauseEndpoint(await scene.context(), endpointId);
    await stage.advance(HOUR_MS);
    expect(await scene.row()).toMatchObject({ status: 'held', attempts: 2 });
    return async () => {
      await stage.advance(HOUR_MS);
      expect(scene.requests()).toHaveLength(2);
      const find = 'select from webhook_endpoints where id = $1 and deleted_at is null';
      if ((await stage.rows(find, [endpointId])).length > 0)
        await resumeEndpoint(await scene.context(), endpointId);
    };
  },
};

const failed: Point = {
  name: 'after the last of its 12 attempts failed',
  state: 'failed',
  made: 12,
  reach: async ({ stage }) => {
    await stage.advance(afterAttempt(12));
    return nothing;
  },
};

const succeeded: Point = {
  name: 'after it was delivered',
  state: 'succeeded',
  made: 1,
  reach: async (scene) => {
    scene.answer(() => ({ status: 200 }));
    await scene.stage.advance(5_000);
    scene.answer(() => ({ status: 500 }));
    return nothing;
  },
};

const blocked: Point = {
  name: 'after it was blocked',
  state: 'blocked',
  made: 1,
  reach: async (scene) => {
    await moveTo(scene, PRIVATE);
    await scene.stage.advance(5_000);
    await moveTo(scene, scene.url);
    return nothing;
  },
};

export const POINTS: readonly Point[] = [
  {
    name: 'before its first attempt',
    state: 'pending',
    made: 0,
    reach: () => Promise.resolve(nothing),
  },
  ...[1, 4].map(inFlight),
  ...[1, 2, 6, 11].map(waiting),
  failed,
  blocked,
  succeeded,
];
