import { expect } from '@jest/globals';
import { resendDelivery, resendFailing } from '../../../../src/webhooks/deliveries/resending.ts';
import { pauseEndpoint, resumeEndpoint } from '../../../../src/webhooks/pausing.ts';
import { rotateSecret } from '../../../../src/webhooks/rotating.ts';
import { deleteEndpoint, updateEndpoint } from '../../../../src/webhooks/service.ts';
import { testKeyring } from '../../../support/factories/numbers.ts';
import { type Point, requestsUntil } from './points.ts';
import { DAY_MS, type DeliveryScene, HOUR_MS, STEPS } from './scene.ts';

/** What becomes of the delivery when every attempt fails with 500 from then on, unless the act says otherwise. */
interface Course {
  readonly status: string;
  readonly attempts: number;
  readonly round: number;
  /** Seconds between the attempts; null where one begins at the moment of the act's end. */
  readonly steps: readonly (number | null)[];
}

export interface Act {
  readonly name: string;
  /** What a caller does. It answers the secrets that sign from now on, newest first, when it changes them. */
  begin(scene: DeliveryScene): Promise<readonly string[] | null>;
  /** What the caller does so much later, when the first part took effect. */
  readonly end?: {
    readonly afterMs: number;
    run(scene: DeliveryScene, point: Point): Promise<void>;
  };
  course(point: Point): Course;
  /** The lane makes no difference to it: shown for deliveries with retries of their own. */
  readonly anyLane?: boolean;
  /** Requests from then on come here, below the address that the endpoint had. */
  readonly movedTo?: string;
}

const OPEN: readonly Point['state'][] = ['pending', 'in flight', 'waiting', 'held'];
const isOpen = ({ state }: Point): boolean => OPEN.includes(state);

/** The attempt that a pause put off begins when that is over. */
const afterPause = ({ made }: Point): Course['steps'] =>
  STEPS.map((step, n) => (n === made - 1 ? null : step));
const stepsOf = (point: Point): Course['steps'] =>
  point.state === 'held' ? afterPause(point) : STEPS;

const untouched = (point: Point): Course =>
  isOpen(point)
    ? { status: 'failed', attempts: 12, round: 1, steps: stepsOf(point) }
    : {
        status: point.state,
        attempts: point.made,
        round: 1,
        steps: STEPS.slice(0, point.made - 1),
      };

const endsAfter = (point: Point, attempts: number, status: string): Course =>
  isOpen(point)
    ? { status, attempts, round: 1, steps: stepsOf(point).slice(0, Math.max(0, attempts - 1)) }
    : untouched(point);

const resentFrom =
  (...states: Point['state'][]) =>
  (point: Point): Course =>
    states.includes(point.state)
      ? {
          status: 'failed',
          attempts: point.made + 12,
          round: 2,
          steps: [...STEPS.slice(0, point.made - 1), null, ...STEPS],
        }
      : untouched(point);

const paused = (name: string, forMs: number): Act => ({
  name: `pausing for ${name} and resuming`,
  begin: async (scene) => {
    await pauseEndpoint(await scene.context(), scene.endpointId);
    return null;
  },
  end: {
    afterMs: forMs,
    run: async (scene, point) => {
      expect(scene.requests()).toHaveLength(requestsUntil(point));
      if (isOpen(point))
        expect(await scene.row()).toMatchObject({
          status: 'held',
          attempts: point.made,
          in_backlog: true,
          owned_by_workflow: false,
          next_attempt_at: null,
        });
      await resumeEndpoint(await scene.context(), scene.endpointId);
    },
  },
  course: (point) =>
    isOpen(point) ? { ...untouched(point), steps: afterPause(point) } : untouched(point),
});

const pausedAWhile = paused('an hour', HOUR_MS);

const rotated = (times: number): Act => ({
  name: times === 1 ? 'rotating the secret' : 'rotating the secret twice',
  begin: async (scene) => {
    const secrets = [scene.secret];
    for (let time = 0; time < times; time += 1) {
      const rotation = await rotateSecret(await scene.context(), scene.endpointId, testKeyring);
      secrets.unshift(rotation.secret);
    }
    return secrets.slice(0, 2);
  },
  course: untouched,
});

export const ACTS: readonly Act[] = [
  { ...paused('ten minutes', 600_000), anyLane: true },
  paused('three days', 3 * DAY_MS),
  {
    name: 'pausing and resuming before anybody looked',
    begin: async (scene) => {
      await pauseEndpoint(await scene.context(), scene.endpointId);
      await resumeEndpoint(await scene.context(), scene.endpointId);
      return null;
    },
    course: untouched,
  },
  {
    ...pausedAWhile,
    name: 'pausing, sending it again, and resuming after an hour',
    begin: async (scene) => {
      await pausedAWhile.begin(scene);
      await resendDelivery(await scene.context(), scene);
      return null;
    },
    // What is held goes out anyway.
    course: (point) =>
      isOpen(point) ? pausedAWhile.course(point) : resentFrom(point.state)(point),
  },
  rotated(1),
  { ...rotated(2), anyLane: true },
  {
    name: 'deleting the endpoint',
    begin: async (scene) => {
      await deleteEndpoint(await scene.context(), scene.endpointId);
      return null;
    },
    course: (point) => endsAfter(point, point.made, 'failed'),
  },
  {
    name: 'sending it again',
    begin: async (scene) => {
      await resendDelivery(await scene.context(), scene);
      return null;
    },
    course: resentFrom('waiting', 'failed', 'blocked', 'succeeded'),
  },
  {
    name: 'sending all again that fails',
    begin: async (scene) => {
      await resendFailing(await scene.context(), scene.endpointId);
      return null;
    },
    course: resentFrom('waiting', 'failed', 'blocked'),
  },
  {
    name: 'mending the endpoint',
    begin: (scene) => {
      const inHand = scene.requests().length;
      // What is in flight is answered as it would have been.
      const before = scene.answer((nth) =>
        scene.requests().length > inHand ? { status: 200 } : before(nth),
      );
      return Promise.resolve(null);
    },
    course: (point) => endsAfter(point, point.made + 1, 'succeeded'),
  },
  {
    name: 'moving the endpoint',
    movedTo: '/moved',
    begin: async (scene) => {
      const parts = { trustedOrigins: [scene.stage.receiver.origin] };
      const url = `${scene.url}/moved`;
      await updateEndpoint(await scene.context(), scene.endpointId, { url }, parts);
      return null;
    },
    course: untouched,
  },
];
