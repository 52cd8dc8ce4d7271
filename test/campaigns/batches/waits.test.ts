import { describe, expect, it } from '@jest/globals';
import { advance } from '../../../src/campaigns/batches/progress.ts';
import { sendBatch } from '../../../src/campaigns/batches/sending.ts';
import type { SendResult } from '../../../src/gateway/port.ts';
import { opened } from '../../support/opened.ts';
import { running } from '../support/running.ts';
import { openSendingTest, ordinaryPhones, untilDone } from '../support/sending.ts';

const test = opened(openSendingTest);

/** What a batch waits for after WhatsApp answered like this. */
async function waitAfter(answer: Partial<SendResult>, phones = ordinaryPhones(3)) {
  const made = await running(test, phones, { campaign: { pace: 600 } });
  const throttled = { kind: 'throttled', retryAfterMs: 60_000, reason: 'throttled' } as const;
  const send = async () => ({ ...throttled, ...answer }) as SendResult;
  return sendBatch(test.through({ ...test.deps.gateway, send }), made.ref, untilDone);
}

describe('a campaign that waits', () => {
  it('says so while WhatsApp holds its number back', async () => {
    const progress = await waitAfter({ scope: 'number', providerCode: 131057 });

    expect(progress).toMatchObject({ stage: 'sending', left: 3, waitingFor: 'number' });
    expect(progress.waitMs).toBeGreaterThan(50_000);
  });

  it('says so if whoever is left only waits for another try', async () => {
    const progress = await waitAfter(
      { scope: 'recipient', providerCode: 131056 },
      ordinaryPhones(1),
    );

    expect(progress).toMatchObject({ stage: 'sending', left: 1, waitingFor: 'another_try' });
    // As long as WhatsApp asked for, which is longer than we would have waited.
    expect(progress.waitMs).toBeGreaterThan(50_000);
  });

  it('says so if all that is left is under way by another worker', async () => {
    const made = await running(test, ordinaryPhones(1));
    await test.sqlOf(made, (sql) =>
      sql.rows(`update campaign_recipients set status = 'sending', claimed_at = now()`),
    );

    const progress = await advance(test.deps, made.ref);

    expect(progress).toMatchObject({ stage: 'sending', left: 1, waitingFor: 'under_way' });
  });

  it('names nothing else while it only keeps to its pace', async () => {
    const made = await running(test, ordinaryPhones(3), { campaign: { pace: 10 } });

    const progress = await sendBatch(test.deps, made.ref, untilDone);

    expect(progress.waitMs).toBeGreaterThan(0);
    expect(progress.waitingFor ?? null).toBeNull();
  });
});
