import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { createUnderWay } from '../../src/concurrency.ts';
import { corrected, type DatabaseClock, databaseClock } from '../../src/db/clock.ts';
import { sqlOver } from '../../src/db/database.ts';
import { idFloor, idTime, makeIdsBy, newId } from '../../src/ids.ts';
import { createSafeSender } from '../../src/net/sender.ts';
import { probes } from '../../src/readiness.ts';
import { RETRIES_AT_ONCE } from '../../src/webhooks/lanes/retries/parts.ts';
import { retryDelivery } from '../../src/webhooks/lanes/retries/retries.ts';
import { createSigningKeys } from '../../src/webhooks/signing/keys.ts';
import { createWebhookSender } from '../../src/webhooks/signing/sender.ts';
import { type OwnDatabase, openOwnDatabase } from '../support/database.ts';
import { testKeyring } from '../support/factories/numbers.ts';
import { anEndpoint } from '../support/factories/webhooks.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { aDelivery } from '../support/retries.ts';
import { eventually } from '../support/waiting.ts';

const BEHIND_MS = 10_000;

let database: OwnDatabase;
let pool: pg.Pool;
let clock: DatabaseClock;
let receiver: Receiver;
beforeAll(async () => {
  database = await openOwnDatabase();
  receiver = await startReceiver();
  // As if this machine's clock were so much behind PostgreSQL's.
  const options = '-c search_path=later,pg_catalog,public';
  pool = new pg.Pool({ connectionString: database.url, options });
  await pool.query('create schema later');
  await pool.query(
    `create function later.clock_timestamp() returns timestamptz language sql
     as $$ select pg_catalog.clock_timestamp() + interval '${BEHIND_MS} milliseconds' $$`,
  );
  clock = await databaseClock(pool);
});
afterAll(async () => {
  clock.stop();
  await pool.end();
  await receiver.close();
  await database.close();
  // No id sorts before the one that this process made last: the next file's would be of a time to come.
  makeIdsBy(Date.now);
  await eventually(() => idTime(newId('msg')) <= Date.now());
});

describe('a machine whose clock is wrong', () => {
  it('goes by the database’s: so an attempt is counted, and its receiver sees the right time', async () => {
    const sender = createSafeSender({ trustedOrigins: [receiver.origin] });
    const { ctx } = await aWorkspace(database);
    const { id } = await anEndpoint(ctx, `${receiver.origin}/hooks`);
    const ids = await aDelivery(database, ctx.organizationId, id);
    receiver.answer = () => ({ status: 500 });

    const parts = {
      database,
      clock,
      sender: createWebhookSender(sender, createSigningKeys(testKeyring)),
      backoff: { scale: 1, jitter: () => 0 },
      underWay: createUnderWay(RETRIES_AT_ONCE),
    };
    const before = Date.now();
    await retryDelivery(parts, ids, { atOnce: true, lastTry: false });
    const after = Date.now();
    await sender.close();

    const [row] = await sqlOver(database.system).rows<Record<'started' | 'next', Date>>(
      `select first_attempt_at as started, next_attempt_at as next from webhook_deliveries where id = $1`,
      [ids.deliveryId],
    );
    const started = row?.started.getTime() ?? 0;
    expect(started - before).toBeGreaterThan(BEHIND_MS / 2);
    expect(started - after).toBeLessThanOrEqual(BEHIND_MS);
    expect((row?.next.getTime() ?? 0) - started).toBe(30_000);
    const [request] = receiver.received;
    expect(Number(request?.headers['webhook-timestamp'])).toBe(Math.floor(started / 1_000));
  });

  it('makes ids by the database’s: a person’s messages keep their order, whichever machine takes one in', () => {
    const aboutThen = (ms: number): string => idFloor('msg', new Date(Date.now() + ms));
    const id = newId('msg');

    expect(id > aboutThen(BEHIND_MS / 2)).toBe(true);
    expect(id < aboutThen(BEHIND_MS + 5_000)).toBe(true);
  });

  it.each([1, -1])(
    'is not ready when it is more than five seconds off, either way',
    async (way) => {
      const off = { ...clock, skewMs: way * clock.skewMs };
      const parts = { database, clock: off, temporal: { problem: () => null }, work: null };
      const probe = probes(parts as never).find(({ name }) => name === 'clock');

      expect(probe?.required).toBe(true);
      await expect(probe?.check()).rejects.toThrow(/This machine's clock is \d+\.\d s away/);
    },
  );
});

describe('a machine whose clock is set', () => {
  const { now } = Date;
  afterEach(() => {
    Date.now = now;
  });

  it.each([3_700_000, -3_700_000])(
    'by %i ms takes that for no time that passed: nothing is missed or put off, and ids keep their order',
    (byMs) => {
      const before = [clock.now().getTime(), idTime(newId('msg'))];
      const skewMs = clock.skewMs;

      Date.now = () => now() + byMs;

      const after = [clock.now().getTime(), idTime(newId('msg'))];
      for (const [n, at] of after.entries()) {
        expect(at).toBeGreaterThanOrEqual(before[n] ?? 0);
        expect(at - (before[n] ?? 0)).toBeLessThan(Math.abs(byMs) / 2);
      }
      // What /readyz tells.
      expect(Math.abs(clock.skewMs - skewMs + byMs)).toBeLessThan(Math.abs(byMs) / 2);
    },
  );
});

describe('the offset to the database’s clock', () => {
  it('is not moved by an answer that was long in coming, whose moment is unknown', () => {
    const at = Date.now();
    const late = { asked: at, told: at + 3_005, answered: at + 3_000 };

    expect(corrected(5, late)).toBe(5);
    expect(corrected(0, late)).toBe(4);
  });

  it('is moved by an answer as far as its round trip leaves no doubt', () => {
    const at = Date.now();

    expect(corrected(0, { asked: at, told: at + 601, answered: at + 2 })).toBe(598);
    expect(corrected(900, { asked: at, told: at + 601, answered: at + 2 })).toBe(602);
  });
});
