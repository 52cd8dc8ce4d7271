import { expect } from '@jest/globals';
import type { DeliveryStage } from '../../../support/delivery-stage.ts';
import type { Act } from './acts.ts';
import type { Point } from './points.ts';
import { aScene, DAY_MS, type Scene, type SceneWishes, signedBy } from './scene.ts';

/** An attempt begins within so long after its time, and never before (docs/testing.md, Skipped time). */
export const LATEST_MS = 1_000;

/** What a machine that is busy with other things may add: that second is real, though the days are skipped. */
export const BUSY_MS = 4_000;

/** Brings a delivery to the point, does it, and compares what then happens until all is over. */
export async function play(
  stage: DeliveryStage,
  point: Point,
  act: Act,
  wishes: SceneWishes,
): Promise<void> {
  const scene = await aScene(stage, wishes);
  const letGo = await point.reach(scene);
  const secrets = await act.begin(scene);
  await letGo();
  await stage.settle();
  await act.end?.(scene, point);
  const endedAt = await stage.now();
  await stage.advance(DAY_MS);

  const course = act.course(point);
  const { status, attempts, round } = course;
  expect(await scene.row()).toMatchObject({
    ...{ status, attempts, round, in_backlog: false },
    ...{ lease_token: null, next_attempt_at: null, finished_at: expect.any(Date) },
  });
  await keptItsTimes(scene, course.steps, endedAt);
  await heard(scene);
  // Where it was blocked no request came.
  const before = scene.requests().slice(0, point.state === 'blocked' ? 0 : point.made);
  const after = scene.requests().slice(before.length);
  for (const request of before) expect(signedBy(request, [scene.secret])).toBe(true);
  for (const request of after) expect(signedBy(request, secrets ?? [scene.secret])).toBe(true);
  if (act.movedTo)
    expect(new Set(after.map(({ path }) => path)).size).toBe(after.length > 0 ? 1 : 0);
  for (const request of after) if (act.movedTo) expect(request.path).toBe(act.movedTo);
  await nothingLeft(scene);
}

/** Each attempt begins at its time; null stands for the moment of the act's end. */
export async function keptItsTimes(
  scene: Scene,
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
export async function heard(scene: Scene): Promise<void> {
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
export async function nothingLeft({ stage, endpointId, eventId }: Scene): Promise<void> {
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
