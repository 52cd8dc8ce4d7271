import { beforeAll, expect } from '@jest/globals';
import type { DeliveryStage } from '../../../support/delivery-stage.ts';
import type { Act } from './acts.ts';
import { type Point, requestsUntil } from './points.ts';
import {
  aDeliveryScene,
  DAY_MS,
  type DeliveryScene,
  type DeliveryWishes,
  signedBy,
} from './scene.ts';

/** An attempt begins within so long after its time, and never before (docs/testing.md, Skipped time). */
export const LATEST_MS = 1_000;

/**
 * What a machine that is busy with other things may add: that second is real, though the days are skipped. A task of a
 * workflow that it leaves lying is given out again after five.
 */
export const BUSY_MS = 13_000;

interface Played {
  readonly scene: DeliveryScene;
  /** Those that sign from then on, newest first. */
  readonly secrets: readonly string[];
  /** When the act was over. */
  endedAt: Date;
  trouble?: unknown;
}

/**
 * Brings a delivery for each of the acts to the point, lets each be done, and waits until all is over: by one
 * clock, each at an endpoint of its own. The act that is asked for by the answer is then compared with its course.
 */
export function playAll(
  stage: () => DeliveryStage,
  point: Point,
  acts: readonly Act[],
  wishes: DeliveryWishes,
): (act: Act) => Promise<void> {
  const played = new Map<Act, Played>();
  beforeAll(async () => {
    // What is in flight has ten seconds, which must not pass while others are brought there.
    const alone = point.state === 'in flight';
    for (const together of alone ? acts.map((act) => [act]) : [acts])
      for (const [act, one] of await playTogether(stage(), point, together, wishes))
        played.set(act, one);
  });
  return async (act) => {
    const one = played.get(act);
    if (!one) throw new Error(`not played: ${act.name}`);
    if (one.trouble) throw one.trouble;
    await wentItsCourse(point, act, one);
  };
}

async function playTogether(
  stage: DeliveryStage,
  point: Point,
  acts: readonly Act[],
  wishes: DeliveryWishes,
): Promise<Map<Act, Played>> {
  const scenes: DeliveryScene[] = [];
  for (const _ of acts) scenes.push(await aDeliveryScene(stage, wishes));
  const letGo = await point.reach(stage, scenes);
  const secrets: (readonly string[] | null)[] = [];
  for (const [n, scene] of scenes.entries()) secrets.push((await acts[n]?.begin(scene)) ?? null);
  await letGo();
  const endedAt = await stage.now();
  const played = new Map(
    acts.map((act, n): [Act, Played] => {
      const scene = scenes[n] as DeliveryScene;
      return [act, { scene, endedAt, secrets: secrets[n] ?? [scene.secret] }];
    }),
  );
  let passedMs = 0;
  const later = acts.flatMap((act) => (act.end ? [{ act, ...act.end }] : []));
  for (const { act, afterMs, run } of later.toSorted((a, b) => a.afterMs - b.afterMs)) {
    await stage.advance(afterMs - passedMs);
    passedMs = afterMs;
    const one = played.get(act) as Played;
    await run(one.scene, point).catch((trouble: unknown) => Object.assign(one, { trouble }));
    one.endedAt = await stage.now();
  }
  await stage.advance(DAY_MS);
  return played;
}

async function wentItsCourse(point: Point, act: Act, played: Played): Promise<void> {
  const { scene, secrets, endedAt } = played;
  const course = act.course(point);
  const { status, attempts, round } = course;
  expect(await scene.row()).toMatchObject({
    status,
    attempts,
    round,
    in_backlog: false,
    lease_token: null,
    next_attempt_at: null,
    finished_at: expect.any(Date),
  });
  await keptItsTimes(scene, course.steps, endedAt);
  await heard(scene);
  const before = scene.requests().slice(0, requestsUntil(point));
  const after = scene.requests().slice(before.length);
  for (const request of before) expect(signedBy(request, [scene.secret])).toBe(true);
  for (const request of after) expect(signedBy(request, secrets)).toBe(true);
  const { pathname } = new URL(scene.url);
  for (const request of after) expect(request.path).toBe(`${pathname}${act.movedTo ?? ''}`);
  await nothingLeft(scene);
}

/** Each attempt begins at its time; null stands for the moment of the act's end. */
export async function keptItsTimes(
  scene: DeliveryScene,
  steps: readonly (number | null)[],
  atOnce: Date | null = null,
): Promise<void> {
  const starts = (await scene.attempts()).map(({ started_at }) => started_at.getTime());
  expect(starts.slice(1)).toHaveLength(steps.length);
  for (const [n, step] of steps.entries()) {
    const due = step === null ? (atOnce?.getTime() ?? 0) : (starts[n] ?? 0) + step * 1_000;
    const lateMs = (starts[n + 1] ?? 0) - due;
    // At once, the lane's reading of the server's clock may be a moment old.
    expect({ attempt: n + 2, lateMs, early: lateMs < (step === null ? -LATEST_MS : 0) }).toEqual({
      attempt: n + 2,
      lateMs,
      early: false,
    });
    const late = lateMs >= LATEST_MS + BUSY_MS;
    expect({ attempt: n + 2, lateMs, late }).toMatchObject({ late: false });
  }
}

/** The requests are the attempts, one for one but for a refused address, each with the same bytes. */
export async function heard(scene: DeliveryScene): Promise<void> {
  const attempts = await scene.attempts();
  const begun = attempts.filter(({ error }) => error !== 'private_address');
  const requests = scene.requests();
  expect(requests.map(({ headers }) => Number(headers['webhook-timestamp']))).toEqual(
    begun.map(({ started_at }) => Math.floor(started_at.getTime() / 1_000)),
  );
  expect(attempts.map(({ number }) => number)).toEqual(attempts.map((_, n) => n + 1));
  expect(new Set(requests.map(({ body }) => body)).size).toBe(Math.min(1, requests.length));
}

/** No command, no look to come, no open workflow, and never two at work for one delivery. */
export async function nothingLeft({ stage, endpointId, eventId }: DeliveryScene): Promise<void> {
  const [left] = await stage.rows(
    `select drain_at as "drainAt", (select count(*)::int from facts) as facts,
       (select count(*)::int from webhook_deliveries where endpoint_id = $1 and finished_at is null) as open
     from webhook_endpoints where id = $1`,
    [endpointId],
  );
  expect(left).toEqual({ drainAt: null, facts: 0, open: 0 });
  for (const id of [`delivery:${endpointId}:${eventId}`, `endpoint:${endpointId}`])
    expect(await isRunning(stage, id)).toBe(false);
  expect(stage.mostAtOnce()).toBeLessThanOrEqual(1);
}

async function isRunning({ environment }: DeliveryStage, id: string): Promise<boolean> {
  try {
    const { status } = await environment.client.workflow.getHandle(id).describe();
    return status.name === 'RUNNING';
  } catch {
    return false;
  }
}
