import { describe, expect, it } from '@jest/globals';
import { until } from '../support/processes/child.ts';
import { arrivedAtLeast, death, dies, unrecorded } from './support/acts.ts';
import { attemptsAddUp, everybodyTold, nothingOpen, quiet } from './support/invariants.ts';
import { type ChaosStage, onChaosStage } from './support/stage.ts';

const HELD = 300;
const RETRIED = 20;
const LIMIT_MS = 300_000;
const OPTIONS = { events: ['contact.created' as const] };

async function count(stage: ChaosStage, condition: string): Promise<number> {
  const [row] = await stage.rows<{ n: number }>(
    `select count(*)::int as n from webhook_deliveries where ${condition}`,
  );
  return row?.n ?? 0;
}

/**
 * 300 people while the endpoint is paused; resumed under a worker that dies at the point, however fast
 * it was: a third of them is answered before that.
 */
async function dieResuming(stage: ChaosStage, point: string): Promise<void> {
  const api = await stage.processes.start('api');
  const [endpoint] = await stage.rows<{ id: string }>('select id from webhook_endpoints');
  const steer = async (step: string): Promise<void> => {
    const reply = await stage.call(api, 'POST', `/webhooks/${endpoint?.id}/${step}`);
    expect(reply.status).toBe(200);
  };
  const worker = await stage.processes.start('worker', dies(point));
  await steer('pause');
  await stage.people(HELD);
  await until('all are held', async () => (await count(stage, "status = 'held'")) === HELD);
  expect(stage.receiver.receipts).toEqual([]);
  stage.receiver.answerOnly(HELD / 3);
  await steer('resume');
  await death(worker);
}

describe('a worker killed while an endpoint is resumed with 300 deliveries held', () => {
  it.concurrent.each([
    { point: 'after-release', when: 'when it had released some and attempted none' },
    { point: 'before-record', when: 'between attempts and their record' },
    { point: 'after-attempt-record', when: 'after it wrote some attempts down' },
  ])(
    '$when: all go out, and only what was in flight goes out once more',
    ({ point }) =>
      onChaosStage(OPTIONS, async (stage) => {
        await dieResuming(stage, point);
        const twice = await unrecorded(stage);
        expect(await count(stage, 'finished_at is null')).toBeGreaterThan(0);

        stage.receiver.answerOnly(Number.POSITIVE_INFINITY);
        await stage.processes.start('worker');
        await quiet(stage);

        await everybodyTold(stage, HELD);
        await attemptsAddUp(stage, { spare: twice.length });
        await nothingOpen(stage);
      }),
    LIMIT_MS,
  );
});

describe('a worker killed with retries that the backlog of a failing endpoint released', () => {
  it.concurrent.each([
    { point: 'after-release', when: 'before any attempt', more: false },
    { point: 'before-record', when: 'between their attempts and the record', more: true },
  ])(
    '$when: they go on, and only what was in flight is repeated',
    ({ point, more }) =>
      onChaosStage(OPTIONS, async (stage) => {
        stage.receiver.answerWith(500);
        await stage.rows('update webhook_endpoints set failures_in_row = 20');
        const worker = await stage.processes.start('worker');
        await stage.people(RETRIED);
        await arrivedAtLeast(stage, RETRIED);
        const retried = "status = 'retrying' and not owned_by_workflow";
        await until('all wait to be retried', async () => (await count(stage, retried)) >= RETRIED);
        await worker.kill('SIGTERM');
        const before = await unrecorded(stage);
        // Where they are when the lane has no room for them.
        await stage.rows(
          `update webhook_deliveries set in_backlog = true, lease_token = null, lease_until = now() where ${retried}`,
        );

        const doomed = await stage.processes.start('worker', dies(point));
        await death(doomed);
        const twice = await unrecorded(stage);
        expect({ before, some: twice.length > 0 }).toEqual({ before: [], some: more });
        expect(await count(stage, 'attempts = 0')).toBe(0);

        stage.receiver.answerWith(204);
        await stage.processes.start('worker');
        await quiet(stage);

        await everybodyTold(stage, RETRIED);
        await attemptsAddUp(stage, { spare: twice.length });
        await nothingOpen(stage);
      }),
    LIMIT_MS,
  );
});
