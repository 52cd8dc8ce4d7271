import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { beginScheduled } from '../../src/campaigns/states/by-itself.ts';
import {
  cancelCampaign,
  scheduleCampaign,
  unscheduleCampaign,
} from '../../src/campaigns/states/transitions.ts';
import { keepHistory } from '../support/histories.ts';
import { eventually } from '../support/waiting.ts';
import { acceptedBy, detailOf, drafted, type Made } from './support/running.ts';
import { ordinaryPhones } from './support/sending.ts';
import { openSkippedTest, type SkippedTest } from './support/skipped.ts';

let stage: SkippedTest;
let test: SkippedTest['test'];
let environment: SkippedTest['environment'];
let worker: SkippedTest['worker'];
beforeAll(async () => {
  stage = await openSkippedTest();
  ({ test, environment, worker } = stage);
});
afterAll(() => stage.close());

const DAY_MS = 24 * 3_600_000;

/** A campaign scheduled so many days after the server's now. */
async function scheduled(days: number): Promise<Made & { at: Date }> {
  const made = await drafted(test, ordinaryPhones(30));
  const now = await environment.currentTimeMs();
  const at = new Date(now + days * DAY_MS);
  const ctx = { ...made.ctx, now: new Date(now) };
  await scheduleCampaign(ctx, made.ref.campaignId, { when: at.toISOString() });
  return { ...made, at };
}

describe('a scheduled campaign', () => {
  it('begins at its time, however far away, and sends to everybody once', async () => {
    const made = await scheduled(75);

    const handle = await worker.start(made.ref);
    await environment.sleep(75 * DAY_MS);
    await eventually(async () => (await detailOf(test, made)).status === 'done');
    await handle.result();

    const detail = await detailOf(test, made);
    expect(detail).toMatchObject({ status: 'done', results: { sent: 30 } });
    const lateMs = Date.parse(detail.started_at ?? '') - made.at.getTime();
    expect(lateMs).toBeGreaterThanOrEqual(0);
    expect(lateMs).toBeLessThan(60_000);
    expect(acceptedBy(test, made)).toHaveLength(30);
    await keepHistory(handle, 'send-campaign-scheduled');
  });

  it('is not begun before its time, by whatever its workflow was woken', async () => {
    const made = await scheduled(1);
    const now = new Date(await environment.currentTimeMs());

    await beginScheduled({ ...made.ctx, now }, made.ref.campaignId);

    expect(await detailOf(test, made)).toMatchObject({ status: 'scheduled', started_at: null });
  });

  it('sends nothing once it is a draft again', async () => {
    const made = await scheduled(2);
    const handle = await worker.start(made.ref);
    await eventually(async () => {
      const { events } = await handle.fetchHistory();
      return Boolean(events?.some((event) => event.timerStartedEventAttributes));
    });

    await unscheduleCampaign(made.ctx, made.ref.campaignId);
    await handle.signal('wake');
    await handle.result();

    expect(acceptedBy(test, made)).toEqual([]);
    expect((await detailOf(test, made)).status).toBe('draft');
    await keepHistory(handle, 'send-campaign-unscheduled');
  });

  it('waits for a person when its time is over an hour ago', async () => {
    const made = await scheduled(1);
    await environment.sleep(DAY_MS + 61 * 60_000);

    const handle = await worker.start(made.ref);
    await eventually(async () => (await detailOf(test, made)).status === 'paused');
    const { pause_reason: reason } = await detailOf(test, made);
    await cancelCampaign(made.ctx, made.ref.campaignId);
    await handle.signal('wake');
    await handle.result();

    expect(reason).toBe('missed_schedule');
    expect(acceptedBy(test, made)).toEqual([]);
  });

  it('still begins by itself when its time is less than an hour ago', async () => {
    const made = await scheduled(1);
    await environment.sleep(DAY_MS + 59 * 60_000);

    const handle = await worker.start(made.ref);
    await eventually(async () => (await detailOf(test, made)).status !== 'scheduled');
    await eventually(async () => (await detailOf(test, made)).status !== 'sending');

    expect((await detailOf(test, made)).status).toBe('done');
    await handle.result();
  });
});
