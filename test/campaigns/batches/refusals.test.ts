import { beforeEach, describe, expect, it } from '@jest/globals';
import { sendBatch } from '../../../src/campaigns/batches/sending.ts';
import { resumeCampaign } from '../../../src/campaigns/states/transitions.ts';
import { inWorkspace } from '../../../src/db/database.ts';
import { first } from '../../../src/db/sql.ts';
import type { Gateway } from '../../../src/gateway/port.ts';
import { connectNumber } from '../../../src/numbers/connecting.ts';
import { opened } from '../../support/opened.ts';
import { acceptedBy, detailOf, type Made, running, sendAll } from '../support/running.ts';
import { openSendingTest, ordinaryPhones, untilDone } from '../support/sending.ts';

const test = opened(openSendingTest);
beforeEach(() => test.faults({}));

/** A phone whose last seven digits the simulator acts on. */
const magic = (digits: string, variant = 0): string => `+55119${8 - variant}${digits}`;

const numberOf = ({ ref, numberId }: Made) =>
  inWorkspace(test.database, ref.organizationId, (sql) =>
    first<{ status: string; status_reason: string }>(
      sql,
      'select status, status_reason from numbers where id = $1',
      [numberId],
    ),
  );

const requestsOf = ({ phoneNumberId }: Made) =>
  test.simulator.ledger().filter((entry) => entry.phone_number_id === phoneNumberId);

describe('a recipient that WhatsApp refuses', () => {
  it.each([
    ['0131026', 'no_whatsapp'],
    ['0131047', 'out_of_window'],
    ['0131049', 'throttled'],
    ['0131050', 'no_recipient'],
    ['0130403', 'no_recipient'],
  ])('for good (%s) is lost once, as %s, and the campaign goes on', async (digits, reason) => {
    const made = await running(test, [magic(digits), ...ordinaryPhones(20)]);

    await sendAll(test, made);

    expect(await detailOf(test, made)).toMatchObject({
      status: 'done',
      results: { sent: 20, failed: 1, reasons: { [reason]: 1 } },
    });
    expect(requestsOf(made).filter(({ wamid }) => wamid === null)).toHaveLength(1);
  });

  it('with words that cannot be stored is lost like any other, and holds up no one', async () => {
    const made = await running(test, ordinaryPhones(3));
    const gateway: Gateway = {
      ...test.deps.gateway,
      send: async () => ({
        kind: 'refused',
        reason: 'no_whatsapp',
        providerCode: 131026,
        message: `a\0b\ud800${'c'.repeat(1_000)}`,
      }),
    };

    await sendAll(test, made, test.through(gateway));

    expect(await detailOf(test, made)).toMatchObject({ status: 'done', results: { failed: 3 } });
  });

  it('for now is sent later, under the same correlation', async () => {
    const made = await running(test, [magic('0900003'), ...ordinaryPhones(20)]);

    await sendAll(test, made);

    expect(await detailOf(test, made)).toMatchObject({ status: 'done', results: { sent: 21 } });
    const tries = requestsOf(made).filter(({ to }) => to.endsWith('0900003'));
    expect(tries.map(({ decision }) => decision)).toEqual([
      'refused:130429',
      'refused:130429',
      'accepted',
    ]);
    expect(new Set(tries.map(({ key }) => key)).size).toBe(1);
  });
});

describe('a number that WhatsApp throttles', () => {
  it('waits as a whole, then loses nobody', async () => {
    await test.faults({ rate_limit_per_s: 40 });
    const made = await running(test, ordinaryPhones(120));
    const begun: number[] = [];
    let refusedAt = Number.POSITIVE_INFINITY;
    const { gateway } = test.deps;
    const watched = test.through({
      ...gateway,
      send: async (message) => {
        begun.push(performance.now());
        const result = await gateway.send(message);
        if (result.kind === 'throttled') refusedAt = Math.min(refusedAt, performance.now());
        return result;
      },
    });

    const progress = await sendAll(test, made, watched);

    expect(progress).toMatchObject({ stage: 'done', sent: 120, lost: 0 });
    expect(acceptedBy(test, made)).toHaveLength(120);
    expect(new Set(acceptedBy(test, made).map(({ to }) => to)).size).toBe(120);
    // Those that are on their way go on; nothing begins before the second that WhatsApp asks for is over.
    const tooSoon = begun.filter((at) => at > refusedAt + 100 && at < refusedAt + 900);
    expect(tooSoon).toEqual([]);
  });

  it('answers outages without failing anybody, probing once a second at most', async () => {
    await test.faults({ error_rate: 1 });
    const made = await running(test, ordinaryPhones(100));
    const begun = Date.now();
    const sending = sendAll(test, made);
    await new Promise((resolve) => setTimeout(resolve, 6_000));

    const during = requestsOf(made).length;
    const seconds = Math.ceil((Date.now() - begun) / 1_000);
    await test.faults({});
    const progress = await sending;

    expect(during).toBeLessThanOrEqual(64 + 32 + seconds);
    expect(progress).toMatchObject({ stage: 'done', sent: 100, lost: 0 });
    expect(acceptedBy(test, made)).toHaveLength(100);
  });
});

describe('a refusal that no other recipient would escape', () => {
  it.each([
    ['0131048', 'spam_limit', 'connected', null],
    ['0131064', 'spam_limit', 'connected', null],
    ['0000190', 'number_unavailable', 'disconnected', 'whatsapp_190'],
    ['0131031', 'number_unavailable', 'suspended', 'whatsapp_131031'],
    ['0000368', 'number_unavailable', 'suspended', 'whatsapp_368'],
    ['0131042', 'number_unavailable', 'suspended', 'whatsapp_131042'],
    ['0131037', 'number_unavailable', 'error', 'whatsapp_131037'],
    ['0133010', 'number_unavailable', 'error', 'whatsapp_133010'],
  ])('%s pauses the campaign: %s, the number is %s', async (digits, reason, status, because) => {
    await test.faults({ latency_ms: 20 });
    const made = await running(test, [magic(digits), ...ordinaryPhones(400)]);

    const progress = await sendAll(test, made);

    expect(progress.stage).toBe('paused');
    const detail = await detailOf(test, made);
    expect(detail.pause_reason).toBe(reason);
    expect(await numberOf(made)).toEqual({ status, status_reason: because });
    // No recipient is burnt: those in flight arrived, everybody else waits.
    expect(requestsOf(made).length).toBeLessThanOrEqual(64 + 32);
    expect(detail.results).toMatchObject({ failed: 0, unconfirmed: 0, sending: 0 });
    expect(detail.results.sent).toBe(acceptedBy(test, made).length);
    expect(detail.results.pending).toBe(401 - detail.results.sent);
  });

  it('is none where the number has got another token meanwhile', async () => {
    const made = await running(test, ordinaryPhones(5));
    const { gateway, keyring } = test.deps;
    const renewing: Gateway = {
      ...gateway,
      send: async (message) => {
        if (message.accessToken === 'new') return gateway.send(message);
        await connectNumber(made.ctx, made.numberId, { accessToken: 'new' }, keyring);
        return { kind: 'halted', cause: 'disconnected', providerCode: 190, message: 'revoked' };
      },
    };

    await sendAll(test, made, test.through(renewing));

    expect(await detailOf(test, made)).toMatchObject({ status: 'done', results: { sent: 5 } });
    expect(await numberOf(made)).toEqual({ status: 'connected', status_reason: null });
  });

  it('pauses the campaign when no token of its number can be read', async () => {
    const made = await running(test, ordinaryPhones(5));
    await inWorkspace(test.database, made.ref.organizationId, (sql) =>
      sql.rows("update numbers set access_token = 'of a lost key' where id = $1", [made.numberId]),
    );

    const progress = await sendBatch(test.deps, made.ref, untilDone);

    expect(progress.stage).toBe('paused');
    expect((await detailOf(test, made)).pause_reason).toBe('number_unavailable');
    expect(requestsOf(made)).toEqual([]);
  });

  it('is not met again before the number works: resuming pauses it once more', async () => {
    const made = await running(test, [magic('0000190'), ...ordinaryPhones(5)]);
    await sendAll(test, made);
    const before = requestsOf(made).length;

    await resumeCampaign(made.ctx, made.ref.campaignId);
    const progress = await sendBatch(test.deps, made.ref, untilDone);

    expect(progress.stage).toBe('paused');
    expect(requestsOf(made)).toHaveLength(before);
    expect((await detailOf(test, made)).pause_reason).toBe('number_unavailable');
  });

  it('pauses a campaign whose sends fail too often, and looks afresh after it was resumed', async () => {
    const failing = Array.from({ length: 15 }, (_, n) =>
      magic('0131026', n % 3).replace('119', `${21 + Math.floor(n / 3)}9`),
    );
    const made = await running(test, [
      ...ordinaryPhones(45),
      ...failing,
      ...ordinaryPhones(200).slice(45),
    ]);

    const progress = await sendAll(test, made);

    expect(progress.stage).toBe('paused');
    expect((await detailOf(test, made)).pause_reason).toBe('error_rate');
    expect(progress.left).toBeGreaterThan(0);
    await resumeCampaign({ ...made.ctx, now: new Date() }, made.ref.campaignId);
    expect(await sendAll(test, made)).toMatchObject({ stage: 'done', left: 0 });
  });

  it('pauses no campaign that has nobody left to send to, however many failed: it is done', async () => {
    const failing = Array.from({ length: 12 }, (_, n) =>
      magic('0131026').replace('119', `${21 + n}9`),
    );
    const made = await running(test, [...ordinaryPhones(48), ...failing]);

    expect(await sendAll(test, made)).toMatchObject({ stage: 'done', sent: 48, lost: 12 });

    expect(await detailOf(test, made)).toMatchObject({ status: 'done', pause_reason: null });
  });

  it('pauses a campaign whose sends WhatsApp took, and reported as failed too often', async () => {
    const made = await running(test, ordinaryPhones(80), { campaign: { pace: 600 } });
    const atOnce = { ...untilDone, budgetMs: 5_500 };
    await sendBatch(test.deps, made.ref, atOnce);
    const reported = await inWorkspace(test.database, made.ref.organizationId, (sql) =>
      sql.rows(
        `update campaign_recipients set status = 'failed', reason = 'no_whatsapp' where id in (
           select id from campaign_recipients where status in ('sent', 'delivered', 'read') order by claimed_at desc limit 12)
         returning id`,
      ),
    );
    expect(reported).toHaveLength(12);

    expect(await sendBatch(test.deps, made.ref, atOnce)).toMatchObject({ stage: 'paused' });

    const { pause_reason, results } = await detailOf(test, made);
    expect([pause_reason, results.pending > 0]).toEqual(['error_rate', true]);
  });
});
