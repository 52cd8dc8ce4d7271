import { beforeEach, describe, expect, it } from '@jest/globals';
import { pauseEndpoint, resumeEndpoint } from '../../../src/webhooks/pausing.ts';
import { openDeliveryStage } from '../../support/delivery-stage.ts';
import { keepHistory } from '../../support/histories.ts';
import { opened } from '../../support/opened.ts';
import { heard, keptItsTimes, nothingLeft } from './support/play.ts';
import {
  aDeliveryScene,
  afterAttempt,
  DAY_MS,
  type DeliveryScene,
  moveTo,
  PRIVATE,
  STEPS,
  signedBy,
} from './support/scene.ts';

let jitter = 0;

const stage = opened(() => openDeliveryStage({ scale: 1, jitter: () => jitter }));
beforeEach(() => {
  jitter = 0;
});

const asking = (seconds: number) => ({
  status: 503,
  headers: { 'retry-after': String(seconds) },
});

async function ends(scene: DeliveryScene, as: Record<string, unknown>): Promise<void> {
  await stage.advance(DAY_MS);
  expect(await scene.row()).toMatchObject({ ...as, next_attempt_at: null });
  await heard(scene);
  await nothingLeft(scene);
}

describe.each([
  { lane: 'a workflow of its own', failing: false },
  { lane: 'the backlog of its endpoint', failing: true },
])('a delivery that is retried by $lane', ({ failing }) => {
  it('is attempted 12 times at doubling intervals and then failed', async () => {
    const scene = await aDeliveryScene(stage, { failing });

    await ends(scene, { status: 'failed', error: 'status', attempts: 12 });

    await keptItsTimes(scene, STEPS);
    const attempts = await scene.attempts();
    const first = attempts[0]?.started_at;
    const last = attempts.at(-1)?.started_at;
    const spanMs = (last?.getTime() ?? 0) - (first?.getTime() ?? 0);
    expect(spanMs / 60_000).toBeGreaterThanOrEqual(17 * 60 + 3.5);
    expect(spanMs / 60_000).toBeLessThan(17 * 60 + 6.5);
    const requests = scene.requests();
    expect(new Set(requests.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(12);
    for (const request of requests) expect(signedBy(request, [scene.secret])).toBe(true);
    const handle = failing ? `endpoint:${scene.endpointId}` : workflowOf(scene);
    await keepHistory(
      stage.environment.client.workflow.getHandle(handle),
      failing ? 'drain-endpoint-exhausted' : 'deliver-webhook-slept-first',
    );
  });

  it('is attempted at intervals a tenth longer with the greatest jitter, and never at shorter ones', async () => {
    jitter = 1;
    const scene = await aDeliveryScene(stage, { failing });

    await ends(scene, { status: 'failed', attempts: 12 });

    await keptItsTimes(
      scene,
      STEPS.map((step) => step * 1.1),
    );
  });

  it('succeeds with the attempt that is accepted, and no other follows', async () => {
    const scene = await aDeliveryScene(stage, { failing });
    scene.answer((nth) => ({ status: nth < 4 ? 500 : 204 }));

    await ends(scene, { status: 'succeeded', attempts: 4, error: null });

    await keptItsTimes(scene, STEPS.slice(0, 3));
  });

  it('is blocked by the attempt that would reach a private address, and is not retried', async () => {
    const scene = await aDeliveryScene(stage, { failing });
    await stage.advance(afterAttempt(2));
    await moveTo(scene, PRIVATE);

    await ends(scene, { status: 'blocked', error: 'private_address', attempts: 3 });

    await keptItsTimes(scene, STEPS.slice(0, 2));
    expect(scene.requests()).toHaveLength(2);
  });

  it.each([
    ['longer than the step: it rules', 600, 600],
    ['shorter than the step: the step rules', 1, 30],
    ['longer than an hour: an hour', 86_400, 3_600],
  ])('waits by Retry-After when that is %s', async (_, asked, step) => {
    const scene = await aDeliveryScene(stage, { failing });
    scene.answer((nth) => (nth === 1 ? asking(asked) : { status: nth === 2 ? 503 : 200 }));

    await ends(scene, { status: 'succeeded', attempts: 3 });

    await keptItsTimes(scene, [step, 60]);
  });

  it('is failed when the next step leads out of the 24 hours, however many attempts are left', async () => {
    jitter = 1;
    const scene = await aDeliveryScene(stage, { failing });
    scene.answer(() => asking(3_600));

    await ends(scene, { status: 'failed', error: 'status', attempts: 11 });

    await keptItsTimes(
      scene,
      STEPS.slice(0, 10).map((step) => Math.max(3_600, step * 1.1)),
    );
  });

  it('keeps to its steps when Retry-After leads out of the 24 hours', async () => {
    const scene = await aDeliveryScene(stage, { failing });
    await stage.advance(5_000);
    await spent(scene, '23:30:00');
    scene.answer(() => asking(3_600));

    await ends(scene, { status: 'failed', attempts: 6 });

    await keptItsTimes(scene, STEPS.slice(0, 5));
  });

  it('expires without a late attempt when the 24 hours passed meanwhile', async () => {
    const scene = await aDeliveryScene(stage, { failing });
    await stage.advance(5_000);
    await spent(scene, '24:00:00');

    await ends(scene, { status: 'failed', error: 'expired', attempts: 1 });
  });

  it('has the time left after three days of pause that it had left before', async () => {
    const scene = await aDeliveryScene(stage, { failing });
    await stage.advance(5_000);
    await spent(scene, '23:58:20');
    await pauseEndpoint(await scene.context(), scene.endpointId);
    await stage.advance(3 * DAY_MS);
    const resumedAt = await stage.now();
    await resumeEndpoint(await scene.context(), scene.endpointId);

    // At once, a minute later, and then there is half a minute left.
    await ends(scene, { status: 'failed', error: 'status', attempts: 3 });

    await keptItsTimes(scene, [null, 60], resumedAt);
  });
});

const workflowOf = ({ endpointId, eventId }: DeliveryScene): string =>
  `delivery:${endpointId}:${eventId}`;

/** As if the first attempt had been made so much earlier. */
const spent = (scene: DeliveryScene, time: string): Promise<void> =>
  scene.change('webhook_deliveries', 'first_attempt_at = first_attempt_at - $2::interval', time);
