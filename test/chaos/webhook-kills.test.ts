import { describe, expect, it } from '@jest/globals';
import { arrivedAtLeast, death, dies, unrecorded } from './support/acts.ts';
import { attemptsAddUp, everybodyTold, nothingOpen, quiet } from './support/invariants.ts';
import { type ChaosStage, onChaosStage } from './support/stage.ts';

const EVENTS = 100;
const LIMIT_MS = 300_000;

/**
 * A worker that sends the webhooks of new contacts dies at the point.
 *
 * @returns how many requests arrived that it had not written down.
 */
async function dieSending(stage: ChaosStage, point: string): Promise<number> {
  const worker = await stage.processes.start('worker', dies(point));
  await stage.people(EVENTS);
  await death(worker);
  return (await unrecorded(stage)).length;
}

describe('a worker killed while it sends webhooks', () => {
  it.concurrent(
    'before it wrote the attempts down: each is sent again at most once, none is lost',
    () =>
      onChaosStage({ events: ['contact.created'] }, async (stage) => {
        const repeatable = await dieSending(stage, 'before-record');
        expect(repeatable).toBeGreaterThan(0);

        await stage.processes.start('worker');
        await quiet(stage);

        await everybodyTold(stage, EVENTS);
        await attemptsAddUp(stage, { spare: repeatable });
        await nothingOpen(stage);
      }),
    LIMIT_MS,
  );

  it.concurrent(
    'after it wrote them down: only what was under way is sent again',
    () =>
      onChaosStage({ events: ['contact.created'] }, async (stage) => {
        const repeatable = await dieSending(stage, 'after-attempt-record');

        await stage.processes.start('worker');
        await quiet(stage);

        await everybodyTold(stage, EVENTS);
        await attemptsAddUp(stage, { spare: repeatable });
        await nothingOpen(stage);
      }),
    LIMIT_MS,
  );

  it.concurrent(
    'after it wrote failures down: the retries of every one of them still happen',
    () =>
      onChaosStage({ events: ['contact.created'] }, async (stage) => {
        stage.receiver.answerWith(500);
        const repeatable = await dieSending(stage, 'after-attempt-record');
        const [failed] = await stage.rows<{ retrying: number; waiting: number; commands: number }>(
          `select count(*)::int as retrying, count(*) filter (where not owned_by_workflow and not in_backlog and lease_until is not null)::int as waiting,
             (select count(*)::int from facts where type = 'delivery.retrying') as commands
           from webhook_deliveries where status = 'retrying'`,
        );
        expect(failed?.retrying).toBeGreaterThan(0);
        // Each has a workflow by its command, or waits in the lane for its time.
        expect((failed?.commands ?? 0) + (failed?.waiting ?? 0)).toBe(failed?.retrying);

        stage.receiver.answerWith(204);
        await stage.processes.start('worker');
        await arrivedAtLeast(stage, EVENTS + (failed?.retrying ?? 0));
        await quiet(stage);

        await everybodyTold(stage, EVENTS);
        await attemptsAddUp(stage, { spare: repeatable });
        await nothingOpen(stage);
      }),
    LIMIT_MS,
  );

  it.concurrent.each([
    { point: 'before-record', repeated: 1 },
    { point: 'after-attempt-record', repeated: 0 },
  ])(
    '$point of a retry: that one request is made $repeated times more, and the retries go on',
    ({ point, repeated }) =>
      onChaosStage({ events: ['contact.created'] }, async (stage) => {
        stage.receiver.answerWith(500);
        // The first pass of the point is the first attempt's.
        const worker = await stage.processes.start('worker', dies(point, 2));
        await stage.people(1);
        await death(worker);
        await stage.receiver.caughtUp();
        expect(stage.receiver.receipts).toHaveLength(2);

        await stage.processes.start('worker');
        await arrivedAtLeast(stage, 3);
        stage.receiver.answerWith(204);
        await quiet(stage);

        const [delivery] = await stage.rows<{ status: string; attempts: number }>(
          'select status, attempts from webhook_deliveries',
        );
        expect(delivery?.status).toBe('succeeded');
        expect(stage.receiver.receipts).toHaveLength((delivery?.attempts ?? 0) + repeated);
        await attemptsAddUp(stage, { spare: repeated });
        await nothingOpen(stage);
      }),
    LIMIT_MS,
  );
});
