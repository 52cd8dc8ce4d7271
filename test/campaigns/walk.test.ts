import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import proto from '@temporalio/proto';
import { setDailyLimit } from '../../src/campaigns/limits/daily-limit.ts';
import { setGuards } from '../../src/campaigns/limits/guards.ts';
import {
  cancelCampaign,
  pauseCampaign,
  resumeCampaign,
  scheduleCampaign,
  sendCampaign,
  unscheduleCampaign,
} from '../../src/campaigns/states/transitions.ts';
import type { Context } from '../../src/context.ts';
import { keepHistory } from '../support/histories.ts';
import { rowsOf } from '../support/rows-of.ts';
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

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const nowOf = async (made: Made): Promise<Context> => ({
  ...made.ctx,
  now: new Date(await environment.currentTimeMs()),
});

const { EventType } = proto.temporal.api.enums.v1;
/** The last events of a workflow that is at work. */
const AT_WORK = new Set([
  EventType.EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED,
  EventType.EVENT_TYPE_WORKFLOW_TASK_SCHEDULED,
  EventType.EVENT_TYPE_WORKFLOW_TASK_STARTED,
  EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED,
  EventType.EVENT_TYPE_ACTIVITY_TASK_STARTED,
]);

/** A step of a person's, at the server's time, and the wake that the relay sends for it, until the workflow has taken it. */
async function take(
  made: Made,
  step: (ctx: Context, id: string) => Promise<unknown>,
): Promise<void> {
  await step(await nowOf(made), made.ref.campaignId);
  const handle = environment.client.workflow.getHandle(`campaign:${made.ref.campaignId}`);
  await handle.signal('wake');
  // A timer that this server fires in the middle of the task that cancels it has it refuse the task for good.
  await eventually(async () => {
    const last = (await handle.fetchHistory()).events?.at(-1)?.eventType;
    return last !== null && last !== undefined && !AT_WORK.has(last);
  });
}

/** Local times `HH:MM` in Greenwich, so many hours from the server's now. */
async function hoursFromNow(from: number, to: number): Promise<{ from: string; to: string }> {
  const now = await environment.currentTimeMs();
  const local = (hours: number): string =>
    new Date(now + hours * HOUR_MS).toISOString().slice(11, 16);
  return { from: local(from), to: local(to) };
}

const inGreenwich = (made: Made): Promise<unknown> =>
  rowsOf(made.ctx, `update workspaces set time_zone = 'UTC'`);

describe('a campaign, walked in skipped time', () => {
  it('goes to its schedule and back, waits, is paused and resumed, and is done once everybody has it', async () => {
    const made = await drafted(test, ordinaryPhones(12), { campaign: { pace: 10 } });
    const days = async (n: number) => ({
      when: new Date((await environment.currentTimeMs()) + n * DAY_MS).toISOString(),
    });
    await scheduleCampaign(await nowOf(made), made.ref.campaignId, await days(40));
    const first = await worker.start(made.ref);
    await take(made, unscheduleCampaign);
    await first.result();
    expect((await detailOf(test, made)).status).toBe('draft');

    await scheduleCampaign(await nowOf(made), made.ref.campaignId, await days(3));
    const handle = await worker.start(made.ref);
    await environment.sleep(3 * DAY_MS);
    const state = async (): Promise<string> => (await detailOf(test, made)).status;
    // By steps much shorter than the pace, so that nothing else falls due beside the pause. Real time passes as well: a busy
    // worker would else be an hour late for its schedule after some seconds.
    await eventually(
      async () => {
        await environment.sleep(1_000);
        return acceptedBy(test, made).length >= 2 || (await state()) === 'paused';
      },
      { everyMs: 20 },
    );
    expect(await state()).toBe('sending');
    await take(made, pauseCampaign);
    await environment.sleep(20 * DAY_MS);
    const paused = await detailOf(test, made);
    await take(made, resumeCampaign);
    await handle.result();

    expect(paused).toMatchObject({ status: 'paused', pause_reason: 'member' });
    expect(paused.results.pending).toBe(12 - paused.results.sent);
    expect((await detailOf(test, made)).status).toBe('done');
    expect(acceptedBy(test, made)).toHaveLength(12);
  });

  it('sends nothing in quiet hours and goes on by itself when they are over', async () => {
    const made = await drafted(test, ordinaryPhones(6));
    await inGreenwich(made);
    await setGuards(made.ctx, { quiet: await hoursFromNow(-1, 5) });
    await sendCampaign(await nowOf(made), made.ref.campaignId);
    const handle = await worker.start(made.ref);
    await eventually(async () => (await rowOf(made)).waiting_for === 'quiet_hours');
    const during = acceptedBy(test, made).length;

    await environment.sleep(6 * HOUR_MS);
    await handle.result();

    expect(during).toBe(0);
    expect(acceptedBy(test, made)).toHaveLength(6);
    expect(await rowOf(made)).toEqual({ waiting_for: null, waiting_until: null });
    await keepHistory(handle, 'send-campaign-quiet-hours');
  });

  it('stops at the limit of a day, and is cancelled while it stands', async () => {
    const made = await drafted(test, ordinaryPhones(8));
    await setDailyLimit(made.ctx, made.numberId, 3);
    await sendCampaign(await nowOf(made), made.ref.campaignId);
    const handle = await worker.start(made.ref);
    await eventually(async () => (await detailOf(test, made)).pause_reason === 'daily_limit');

    await take(made, cancelCampaign);
    await handle.result();

    expect(await detailOf(test, made)).toMatchObject({
      status: 'cancelled',
      pause_reason: null,
      results: { sent: 3, cancelled: 5 },
    });
    expect(acceptedBy(test, made)).toHaveLength(3);
  });

  async function rowOf(
    made: Made,
  ): Promise<{ waiting_for: string | null; waiting_until: Date | null }> {
    const [row] = await rowsOf<{ waiting_for: string | null; waiting_until: Date | null }>(
      made.ctx,
      'select waiting_for, waiting_until from campaigns where id = $1',
      [made.ref.campaignId],
    );
    return row ?? { waiting_for: null, waiting_until: null };
  }
});
