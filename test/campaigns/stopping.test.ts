import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sendBatch } from '../../src/campaigns/sending.ts';
import { cancelCampaign, pauseCampaign } from '../../src/campaigns/transitions.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { first } from '../../src/db/sql.ts';
import { acceptedBy, detailOf, type Made, running, until } from './support/running.ts';
import { openSendingTest, ordinaryPhones, type SendingTest, untilDone } from './support/sending.ts';

let test: SendingTest;
beforeAll(async () => {
  test = await openSendingTest();
});
afterAll(() => test.close());
beforeEach(() => test.faults({}));

const sqlOf = <T>(made: Made, work: Parameters<typeof inWorkspace<T>>[2]): Promise<T> =>
  inWorkspace(test.database, made.ref.organizationId, work);

const countOf = async (made: Made, text: string): Promise<number> => {
  const row = await sqlOf(made, (sql) => first<{ n: number }>(sql, text));
  return row?.n ?? -1;
};

describe('a campaign that is stopped', () => {
  it('starts no new send once a pause was answered', async () => {
    await test.faults({ latency_ms: 50 });
    const made = await running(test, ordinaryPhones(600));
    const batch = sendBatch(test.deps, made.ref, untilDone);
    await until(() => acceptedBy(test, made).length > 100);

    await pauseCampaign(made.ctx, made.ref.campaignId);
    const claimed = await countOf(
      made,
      `select count(*) as n from campaign_recipients where status <> 'pending'`,
    );
    const progress = await batch;

    expect(progress).toMatchObject({ stage: 'paused', left: 600 - claimed });
    expect(acceptedBy(test, made)).toHaveLength(claimed);
  });

  it('settles those in flight when it is cancelled, and calls off the others', async () => {
    await test.faults({ latency_ms: 50 });
    const made = await running(test, ordinaryPhones(600));
    const batch = sendBatch(test.deps, made.ref, untilDone);
    await until(() => acceptedBy(test, made).length > 100);

    await cancelCampaign(made.ctx, made.ref.campaignId);
    await batch;

    const { status, results } = await detailOf(test, made);
    expect(status).toBe('cancelled');
    expect(results.sent).toBe(acceptedBy(test, made).length);
    expect(results).toMatchObject({ pending: 0, sending: 0, cancelled: 600 - results.sent });
  });

  it('stops claiming when its worker ends, and leaves nothing in between', async () => {
    await test.faults({ latency_ms: 50 });
    const made = await running(test, ordinaryPhones(600));
    const ending = new AbortController();
    const batch = sendBatch(test.deps, made.ref, { stopped: ending.signal });
    await until(() => acceptedBy(test, made).length > 100);

    ending.abort();
    const progress = await batch;

    expect(progress).toMatchObject({ stage: 'sending', waitMs: 0 });
    expect((await detailOf(test, made)).results).toMatchObject({ sending: 0, unconfirmed: 0 });
    expect(progress.sent).toBe(acceptedBy(test, made).length);
  });
});
