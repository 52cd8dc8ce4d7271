import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { until } from '../support/house/child.ts';
import { arrivedAtLeast, death, dies } from './acts.ts';
import { attemptsAddUp, everybodyTold, nothingOpen, quiet } from './invariants.ts';
import { onStage, type Stage } from './stage.ts';

const HELD = 300;
const RETRIED = 20;
const LIMIT_MS = 300_000;
const OPTIONS = { events: ['contact.created' as const] };

async function count(stage: Stage, condition: string): Promise<number> {
  const [row] = await stage.rows<{ n: number }>(
    `select count(*)::int as n from webhook_deliveries where ${condition}`,
  );
  return row?.n ?? 0;
}

/** Requests that no process wrote down, by the events they were of. */
async function unrecorded(stage: Stage): Promise<string[]> {
  // What the dead process had written to its sockets still arrives.
  await sleep(200);
  const rows = await stage.rows<{ event_id: string; attempts: number }>(
    'select event_id, attempts from webhook_deliveries',
  );
  const attempts = new Map(rows.map((row) => [row.event_id, row.attempts]));
  const requests = Map.groupBy(stage.receiver.receipts, ({ webhookId }) => webhookId);
  return [...requests]
    .filter(([id, made]) => made.length > (attempts.get(id) ?? 0))
    .map(([id]) => id);
}

/** 300 people while the endpoint is paused; resumed under a worker that dies at the point. */
async function dieResuming(stage: Stage, point: string, nth: number): Promise<void> {
  const api = await stage.house.start('api');
  const [endpoint] = await stage.rows<{ id: string }>('select id from webhook_endpoints');
  const steer = async (step: string): Promise<void> => {
    const reply = await stage.call(api, 'POST', `/webhooks/${endpoint?.id}/${step}`);
    expect(reply.status).toBe(200);
  };
  const worker = await stage.house.start('worker', dies(point, nth));
  await steer('pause');
  await stage.people(HELD);
  await until('all are held', async () => (await count(stage, "status = 'held'")) === HELD);
  expect(stage.receiver.receipts).toEqual([]);
  await steer('resume');
  await death(worker);
}

describe('a worker killed while an endpoint is resumed with 300 deliveries held', () => {
  it.concurrent.each([
    { point: 'after-release', nth: 1, when: 'when it had released some and attempted none' },
    { point: 'before-record', nth: 3, when: 'between attempts and their record' },
    { point: 'after-attempt-record', nth: 3, when: 'after it wrote some attempts down' },
  ])(
    '$when: all go out, and only what was in flight goes out once more',
    ({ point, nth }) =>
      onStage(OPTIONS, async (stage) => {
        await dieResuming(stage, point, nth);
        const twice = await unrecorded(stage);
        expect(await count(stage, 'finished_at is null')).toBeGreaterThan(0);

        await stage.house.start('worker');
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
      onStage(OPTIONS, async (stage) => {
        stage.receiver.answerWith(500);
        await stage.rows('update webhook_endpoints set failures_in_row = 20');
        const worker = await stage.house.start('worker');
        await stage.people(RETRIED);
        await arrivedAtLeast(stage, RETRIED);
        const retried = "status = 'retrying' and in_backlog and not owned_by_workflow";
        await until('all wait to be retried', async () => (await count(stage, retried)) >= RETRIED);
        await worker.kill('SIGTERM');
        const before = await unrecorded(stage);

        const doomed = await stage.house.start('worker', dies(point));
        await death(doomed);
        const twice = await unrecorded(stage);
        expect({ before, some: twice.length > 0 }).toEqual({ before: [], some: more });
        expect(await count(stage, 'attempts = 0')).toBe(0);

        stage.receiver.answerWith(204);
        await stage.house.start('worker');
        await quiet(stage);

        await everybodyTold(stage, RETRIED);
        await attemptsAddUp(stage, { spare: twice.length });
        await nothingOpen(stage);
      }),
    LIMIT_MS,
  );
});
