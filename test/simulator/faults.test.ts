import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/waiting.ts';
import { openSimulatorStage, type SimulatorStage } from './support/stage.ts';

let stage: SimulatorStage;
beforeEach(async () => {
  stage = await openSimulatorStage();
});
afterEach(() => stage.close());

const to = '5511987654321';
const decisions = () => stage.simulator.ledger().map(({ decision }) => decision);

describe('the faults', () => {
  it('latency_ms delays each answer without queueing them', async () => {
    await stage.faults({ latency_ms: 300 });
    const startedAt = performance.now();
    await Promise.all(Array.from({ length: 200 }, (_, n) => stage.send(to, `k${n}`)));
    const tookMs = performance.now() - startedAt;

    expect(tookMs).toBeGreaterThanOrEqual(299);
    // One after the other they would take a minute.
    expect(tookMs).toBeLessThan(45_000);
  });

  it('latency_ms keeps the ledger ahead of the answer', async () => {
    await stage.faults({ latency_ms: 1_500 });
    let answered = false;
    const answer = stage.send(to).finally(() => {
      answered = true;
    });
    await eventually(() => decisions().length > 0);

    expect([decisions(), answered]).toEqual([['accepted'], false]);
    expect((await answer).status).toBe(200);
  });

  it('error_rate answers 503 and accepts nothing', async () => {
    await stage.faults({ error_rate: 1 });
    const { status, body } = await stage.send(to);
    await sleep(200);

    expect(status).toBe(503);
    expect(body).toMatchObject({ error: { code: 2, is_transient: true } });
    expect(decisions()).toEqual(['refused:503']);
    expect(stage.receiver.received).toHaveLength(0);
  });

  it('drop_after_accept_rate cuts the connection of a message that is accepted and reported', async () => {
    await stage.faults({ drop_after_accept_rate: 1 });
    await expect(stage.send(to)).rejects.toThrow('fetch failed');
    await eventually(() => stage.statusesOf(`key-${to}`).length === 2);

    expect(decisions()).toEqual(['accepted:dropped']);
    expect(stage.statusesOf(`key-${to}`)).toEqual(['sent', 'delivered']);
  });

  it('hang_after_accept accepts and reports, and never answers', async () => {
    await stage.faults({ hang_after_accept: true });
    const answer = stage.send(to).catch(() => 'cut');
    await eventually(() => stage.statusesOf(`key-${to}`).length === 2);
    const outcome = await Promise.race([answer, sleep(600).then(() => 'waiting')]);

    expect(outcome).toBe('waiting');
    expect(decisions()).toEqual(['accepted:hung']);
    expect(stage.statusesOf(`key-${to}`)).toEqual(['sent', 'delivered']);
  });

  it('status_duplicates repeats each status that many times more', async () => {
    await stage.faults({ status_duplicates: 2 });
    await stage.send(to);
    await eventually(() => stage.statusesOf(`key-${to}`).length >= 6);
    await sleep(100);

    expect(stage.statusesOf(`key-${to}`).sort()).toEqual([
      ...Array(3).fill('delivered'),
      ...Array(3).fill('sent'),
    ]);
  });

  it('status_shuffle brings some statuses before earlier ones, and loses none', async () => {
    await stage.faults({ status_shuffle: true });
    const keys = Array.from({ length: 40 }, (_, n) => `shuffled-${n}`);
    await Promise.all(keys.map((key) => stage.send('5511980900002', key)));
    await eventually(() => stage.receiver.statuses().length === 120);

    const orders = keys.map((key) => stage.statusesOf(key));
    for (const order of orders) {
      expect([...order].sort()).toEqual(['delivered', 'read', 'sent']);
    }
    expect(orders.some((order) => order.join() !== 'sent,delivered,read')).toBe(true);
  });

  it('rate_limit_per_s never accepts more in a second, for each number by itself', async () => {
    await stage.faults({ rate_limit_per_s: 5 });
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, n) => stage.send(to, `k${n}`)),
    );
    const accepted = stage.simulator.ledger().filter(({ wamid }) => wamid !== null);
    const other = await stage.send(to, 'other', '777');
    await sleep(1050);
    const later = await stage.send(to, 'later');

    expect(accepted.length).toBe(answers.filter(({ status }) => status === 200).length);
    expect(accepted.length).toBeGreaterThanOrEqual(5);
    for (const { t } of accepted)
      expect(accepted.filter((one) => one.t > t - 1_000 && one.t <= t).length).toBeLessThanOrEqual(
        5,
      );
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.body).toMatchObject({ error: { code: 130429 } });
    expect(refused?.headers.get('retry-after')).toBe('1');
    expect([other.status, later.status]).toEqual([200, 200]);
  });

  it('status_webhooks: false holds reports back until it is cleared', async () => {
    await stage.faults({ status_webhooks: false });
    await stage.send('5511980900005');
    await sleep(500);
    const held = stage.receiver.received.length;
    await stage.faults({});
    await eventually(() => stage.receiver.messages().length === 1);
    await eventually(() => stage.receiver.statuses().length === 3);

    expect(held).toBe(0);
    expect(stage.statusesOf('key-5511980900005')).toEqual(['sent', 'delivered', 'read']);
    expect(stage.receiver.messages()).toHaveLength(1);
  });

  it('are replaced as a whole, and cleared by {}', async () => {
    await stage.faults({ latency_ms: 10, error_rate: 1 });
    const replaced = await stage.faults({ status_duplicates: 1 });
    const cleared = await stage.faults({});

    expect(replaced.body).toMatchObject({ latency_ms: 0, error_rate: 0, status_duplicates: 1 });
    expect(cleared.body).toEqual((await stage.get('/simulator/faults')).body);
    expect(cleared.body).toMatchObject({ status_duplicates: 0, status_webhooks: true });
  });

  it.each([
    ['latency', { latency: 5 }],
    ['error_rate', { error_rate: 2 }],
    ['latency_ms', { latency_ms: '50' }],
    ['rate_limit_per_s', { rate_limit_per_s: 0 }],
    ['body', '[]'],
  ])('refuse a wrong %s and change nothing', async (field, faults) => {
    await stage.faults({ status_duplicates: 3 });
    const { status, body } = await stage.faults(faults);

    expect(status).toBe(400);
    expect(body.error.message).toContain(field);
    expect((await stage.get('/simulator/faults')).body).toMatchObject({ status_duplicates: 3 });
  });
});
