import { expect } from '@jest/globals';
import { pauseEndpoint, resumeEndpoint } from '../../../../src/webhooks/pausing.ts';
import type { DeliveryStage } from '../../../support/delivery-stage.ts';
import { eventually } from '../../../support/waiting.ts';
import { afterAttempt, type DeliveryScene, HOUR_MS, moveTo, PRIVATE } from './scene.ts';

/** A point in the life of a delivery whose endpoint answers 500. */
export interface Point {
  readonly name: string;
  readonly state: 'pending' | 'in flight' | 'waiting' | 'held' | 'failed' | 'blocked' | 'succeeded';
  /** Attempts made, the one in flight included. */
  readonly made: number;
  /** Brings them all there. What it answers lets go: of the attempt in flight until its record, of what is held. */
  reach(stage: DeliveryStage, scenes: readonly DeliveryScene[]): Promise<() => Promise<void>>;
}

/** How many requests of the delivery came until then: where it was blocked none did. */
export const requestsUntil = ({ state, made }: Point): number => (state === 'blocked' ? 0 : made);

const nothing = (): Promise<void> => Promise.resolve();

const inFlight = (n: number): Point => ({
  name: `while attempt ${n} is in flight`,
  state: 'in flight',
  made: n,
  reach: async (stage, scenes) => {
    const held = Promise.withResolvers<void>();
    for (const scene of scenes)
      scene.answer(async (nth) => {
        if (nth === n) await held.promise;
        return { status: 500 };
      });
    const going = n === 1 ? stage.settle() : stage.advance(afterAttempt(n));
    await eventually(() => scenes.every((scene) => scene.requests().length === n));
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
  reach: async (stage) => {
    await stage.advance(afterAttempt(n));
    return nothing;
  },
});

/** For an hour before it and an hour after; a deleted endpoint stays so. */
export const HELD: Point = {
  name: 'while it is held after its second attempt',
  state: 'held',
  made: 2,
  reach: async (stage, scenes) => {
    await stage.advance(afterAttempt(2));
    for (const scene of scenes) await pauseEndpoint(await scene.context(), scene.endpointId);
    await stage.advance(HOUR_MS);
    for (const scene of scenes)
      expect(await scene.row()).toMatchObject({ status: 'held', attempts: 2 });
    return async () => {
      await stage.advance(HOUR_MS);
      for (const scene of scenes) {
        expect(scene.requests()).toHaveLength(2);
        const find = 'select from webhook_endpoints where id = $1 and deleted_at is null';
        if ((await stage.rows(find, [scene.endpointId])).length > 0)
          await resumeEndpoint(await scene.context(), scene.endpointId);
      }
    };
  },
};

const failed: Point = {
  name: 'after the last of its 12 attempts failed',
  state: 'failed',
  made: 12,
  reach: async (stage) => {
    await stage.advance(afterAttempt(12));
    return nothing;
  },
};

const succeeded: Point = {
  name: 'after it was delivered',
  state: 'succeeded',
  made: 1,
  reach: async (stage, scenes) => {
    for (const scene of scenes) scene.answer(() => ({ status: 200 }));
    await stage.advance(5_000);
    for (const scene of scenes) scene.answer(() => ({ status: 500 }));
    return nothing;
  },
};

const blocked: Point = {
  name: 'after it was blocked',
  state: 'blocked',
  made: 1,
  reach: async (stage, scenes) => {
    for (const scene of scenes) await moveTo(scene, PRIVATE);
    await stage.advance(5_000);
    for (const scene of scenes) await moveTo(scene, scene.url);
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
