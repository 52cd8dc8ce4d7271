import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { sendBatch } from '../../../src/campaigns/batches/sending.ts';
import { setDailyLimit } from '../../../src/campaigns/limits/daily-limit.ts';
import { first } from '../../../src/db/sql.ts';
import type { Gateway, SendResult } from '../../../src/gateway/port.ts';
import { opened } from '../../support/opened.ts';
import { detailOf, type Made, running } from '../support/running.ts';
import { openSendingTest, ordinaryPhones, untilDone } from '../support/sending.ts';

const test = opened(openSendingTest);

/** The number was turned away so often, and is free again; everybody is due. */
const heldAndFree = (made: Made, refusals: number): Promise<unknown> =>
  test.sqlOf(made, async (sql) => {
    await sql.rows(
      `insert into pacers (organization_id, number_id, lane, next_at) values (wms.organization(), $1, 'number', now())
       on conflict do nothing`,
      [made.numberId],
    );
    await sql.rows('update pacers set held_until = null, refusals = $1', [refusals]);
    await sql.rows('update campaign_recipients set not_before = null');
  });

const REFUSED: SendResult = {
  kind: 'throttled',
  scope: 'number',
  reason: 'throttled',
  retryAfterMs: 1_000,
  providerCode: 130429,
};

const NO_ANSWER: SendResult = { kind: 'unknown', message: 'WhatsApp did not answer.' };

describe('a number that WhatsApp turns away', () => {
  it.each([
    ['130429', { scope: 'number', reason: 'throttled', providerCode: 130429 }],
    ['a connection refused', { scope: 'number', reason: 'provider_error', providerCode: null }],
    ['131000 in an outage', { scope: 'recipient', reason: 'provider_error', providerCode: 131000 }],
  ] as const)('uses up no tries of whoever tests whether it works again (%s)', async (_, wide) => {
    const made = await running(test, ordinaryPhones(1));
    const turnedAway = { kind: 'throttled', retryAfterMs: 1_000 } as const;
    const own = { scope: 'recipient', reason: 'provider_error', providerCode: 131000 } as const;
    let answer: SendResult = { ...turnedAway, ...wide };
    const keys = new Set<string>();
    const send: Gateway['send'] = async ({ correlation }) => {
      keys.add(correlation);
      return answer;
    };
    const asked = async (refusals: number): Promise<unknown> => {
      await heldAndFree(made, refusals);
      await sendBatch(test.through({ ...test.deps.gateway, send }), made.ref, untilDone);
      const kept = 'select r.status, r.attempts, m.status as message from campaign_recipients r';
      return test.sqlOf(made, (sql) =>
        first(sql, `${kept} join messages m on m.id = r.message_id`),
      );
    };

    for (let tests = 1; tests <= 7; tests++)
      expect(await asked(tests)).toEqual({ status: 'pending', attempts: 0, message: 'queued' });

    answer = { ...turnedAway, ...own };
    expect(await asked(0)).toEqual({ status: 'pending', attempts: 1, message: 'queued' });
    answer = { kind: 'accepted', providerId: 'wamid.1' };
    expect(await asked(0)).toEqual({ status: 'sent', attempts: 2, message: 'sent' });
    expect(keys.size).toBe(1);
  });

  it('uses up nothing of its day', async () => {
    const made = await running(test, ordinaryPhones(1));
    await setDailyLimit(made.ctx, made.numberId, 5);
    const send: Gateway['send'] = async () => REFUSED;

    for (let tests = 1; tests <= 7; tests++) {
      await heldAndFree(made, tests);
      await sendBatch(test.through({ ...test.deps.gateway, send }), made.ref, untilDone);
    }

    expect((await detailOf(test, made)).status).toBe('sending');
    expect(await test.countOf(made, 'select begun as n from campaign_days')).toBe(0);
  });

  it('ends no day of which every message is turned away, however late', async () => {
    const made = await running(test, ordinaryPhones(20));
    await setDailyLimit(made.ctx, made.numberId, 5);
    const send: Gateway['send'] = () => sleep(50, REFUSED);

    await sendBatch(test.through({ ...test.deps.gateway, send }), made.ref, untilDone);

    expect((await detailOf(test, made)).status).toBe('sending');
    expect(await test.countOf(made, 'select begun as n from campaign_days')).toBe(0);
  });

  it('is tested by one send, though the first recipients get nothing any more', async () => {
    const made = await running(test, ordinaryPhones(100));
    await heldAndFree(made, 1);
    await test.sqlOf(made, (sql) =>
      sql.rows(
        `update contacts set blocked = true
         where id in (select contact_id from campaign_recipients order by id limit 2)`,
      ),
    );
    const send: Gateway['send'] = () => sleep(50, NO_ANSWER);

    await sendBatch(test.through({ ...test.deps.gateway, send }), made.ref, untilDone);

    const { results } = await detailOf(test, made);
    expect(results).toMatchObject({ skipped: 2, unconfirmed: 1, pending: 97 });
  });
});

describe('a message that is tried again', () => {
  it('counts each time, also for a limit of the day that is removed and set anew', async () => {
    const made = await running(test, ordinaryPhones(1));
    await setDailyLimit(made.ctx, made.numberId, 5);
    const send: Gateway['send'] = async () => ({ ...REFUSED, scope: 'recipient' });
    for (let tries = 1; tries <= 3; tries++) {
      await heldAndFree(made, 0);
      await sendBatch(test.through({ ...test.deps.gateway, send }), made.ref, untilDone);
    }

    await setDailyLimit(made.ctx, made.numberId, null);
    await setDailyLimit(made.ctx, made.numberId, 5);

    expect(await test.countOf(made, 'select begun as n from campaign_days')).toBe(3);
  });
});
