import { beforeEach, describe, expect, it } from '@jest/globals';
import { sendBatch } from '../../src/campaigns/batches/sending.ts';
import { cancelCampaign, pauseCampaign } from '../../src/campaigns/states/transitions.ts';
import { createWaker } from '../../src/relay/processes/waker.ts';
import { opened } from '../support/opened.ts';
import { eventually } from '../support/waiting.ts';
import { acceptedBy, detailOf, type Made, running } from './support/running.ts';
import { openSendingTest, ordinaryPhones, untilDone } from './support/sending.ts';

const test = opened(openSendingTest);
beforeEach(() => test.faults({}));

/** With some hundred still to come, however long it takes to stop it: those in flight are answered late. */
async function underWay(made: Made): Promise<void> {
  await eventually(() => acceptedBy(test, made).length > 100);
  await test.faults({ latency_ms: 1_500 });
}

describe('a campaign that is stopped', () => {
  it('starts no new send once a pause was answered', async () => {
    await test.faults({ latency_ms: 50 });
    const made = await running(test, ordinaryPhones(600));
    const batch = sendBatch(test.deps, made.ref, untilDone);
    await underWay(made);

    await pauseCampaign(made.ctx, made.ref.campaignId);
    const claimed = await test.countOf(
      made,
      `select count(*) as n from campaign_recipients where status <> 'pending'`,
    );
    const progress = await batch;

    expect(progress).toMatchObject({ stage: 'paused', left: 600 - claimed });
    expect(acceptedBy(test, made)).toHaveLength(claimed);
  });

  it.each(['pause', 'cancel'] as const)(
    'has nothing begin after its %s was answered, whatever was claimed before',
    async (how) => {
      await test.faults({ latency_ms: 200 });
      const made = await running(test, ordinaryPhones(600));
      const waker = createWaker({ url: test.url });
      let answered = false;
      let begunAfter = 0;
      const { gateway } = test.deps;
      const watched = test.through({
        ...gateway,
        send: (message) => {
          if (answered) begunAfter += 1;
          return gateway.send(message);
        },
      });
      const batch = sendBatch({ ...watched, hear: waker.onWake }, made.ref, untilDone);
      await underWay(made);

      const stop = how === 'pause' ? pauseCampaign : cancelCampaign;
      await stop({ ...made.ctx, wake: waker.wake }, made.ref.campaignId);
      answered = true;
      await batch;
      await waker.close();

      expect(begunAfter).toBe(0);
      const { results } = await detailOf(test, made);
      expect(results).toMatchObject({ sending: 0, sent: acceptedBy(test, made).length });
    },
  );

  it('goes on when it was another one that was paused', async () => {
    await test.faults({ latency_ms: 50 });
    const made = await running(test, ordinaryPhones(300));
    const waker = createWaker({ url: test.url });
    const batch = sendBatch({ ...test.deps, hear: waker.onWake }, made.ref, untilDone);
    await eventually(() => acceptedBy(test, made).length > 50);

    await Promise.all([waker.wake('campaigns'), waker.wake('campaigns')]);
    const progress = await batch;
    await waker.close();

    expect(progress).toMatchObject({ stage: 'done', sent: 300 });
  });

  it('settles those in flight when it is cancelled, and calls off the others', async () => {
    await test.faults({ latency_ms: 50 });
    const made = await running(test, ordinaryPhones(600));
    const batch = sendBatch(test.deps, made.ref, untilDone);
    await underWay(made);

    await cancelCampaign(made.ctx, made.ref.campaignId);
    await batch;

    const { status, results } = await detailOf(test, made);
    expect(status).toBe('cancelled');
    expect(results.sent).toBe(acceptedBy(test, made).length);
    expect(results).toMatchObject({ pending: 0, sending: 0, cancelled: 600 - results.sent });
    const undated = 'select count(*) as n from campaign_recipients where settled_at is null';
    expect(await test.countOf(made, undated)).toBe(0);
  });

  it('stops claiming when its worker ends, and leaves nothing in between', async () => {
    await test.faults({ latency_ms: 50 });
    const made = await running(test, ordinaryPhones(600));
    const ending = new AbortController();
    const batch = sendBatch(test.deps, made.ref, { stopped: ending.signal });
    await underWay(made);

    ending.abort();
    const progress = await batch;

    expect(progress).toMatchObject({ stage: 'sending', waitMs: 0 });
    expect((await detailOf(test, made)).results).toMatchObject({ sending: 0, unconfirmed: 0 });
    expect(progress.sent).toBe(acceptedBy(test, made).length);
  });
});
