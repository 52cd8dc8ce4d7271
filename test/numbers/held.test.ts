import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { changeNumber } from '../../src/campaigns/states/number-changes.ts';
import { holdNumbers, releaseNumbers } from '../../src/cli/ops/holding.ts';
import type { Context } from '../../src/context.ts';
import type { Database } from '../../src/db/database.ts';
import { connectNumber } from '../../src/numbers/connecting.ts';
import type { NumberCause } from '../../src/numbers/states.ts';
import { openOwnDatabase } from '../support/database.ts';
import { aNumber, testKeyring } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { rowsOf } from '../support/rows-of.ts';

let database: Database;
let ctx: Context;
beforeAll(async () => {
  database = await openOwnDatabase();
  ({ ctx } = await aWorkspace(database));
});
afterAll(() => database.close());

const rows = <R>(text: string, params: readonly unknown[]) => rowsOf<R>(ctx, text, params);
const statusOf = async (id: string): Promise<string> => {
  const [row] = await rows<{ status: string; why: string | null }>(
    'select status, status_reason as why from numbers where id = $1',
    [id],
  );
  return row?.why ? `${row.status}: ${row.why}` : `${row?.status}`;
};
const reach = () => ({ database, contextFor: () => Promise.resolve(ctx) });
const hold = () => holdNumbers(reach());
const release = (atOnce = true) => releaseNumbers(reach(), { atOnce });

describe('a number while all are held', () => {
  const HELD = 'disconnected: held';

  it.each<[NumberCause | null, NumberCause[], string, string]>([
    ['restricted', ['restriction_lifted'], HELD, 'connected'],
    ['socket_closed', ['reconnected'], HELD, 'connected'],
    [null, ['restricted', 'restriction_lifted'], HELD, 'connected'],
    [null, ['restricted'], 'suspended: restricted', 'suspended: restricted'],
    ['logged_out', ['reconnected'], 'disconnected: logged_out', 'disconnected: logged_out'],
  ])(
    'that was %s before, and then %j, is %s, and once released %s',
    async (before, news, during, after) => {
      const { id } = await aNumber(ctx);
      if (before) await changeNumber(ctx, id, { cause: before });

      await hold();
      for (const cause of news) await changeNumber(ctx, id, { cause });
      const held = await statusOf(id);
      const { released } = await release();

      expect(held).toBe(during);
      expect(await statusOf(id)).toBe(after);
      expect(released.some(({ number }) => number === id)).toBe(after === 'connected');
    },
  );

  it('is released no sooner because it came back meanwhile, nor later', async () => {
    const { id } = await aNumber(ctx);
    await changeNumber(ctx, id, { cause: 'restricted' });
    await hold();

    const early = await release(false);
    await rows(`update numbers set held_at = now() - interval '61 minutes' where id = $1`, [id]);
    await changeNumber(ctx, id, { cause: 'restriction_lifted' });
    const { released } = await release(false);

    expect(early.refused.map(({ number }) => number)).toContain(id);
    expect(released.map(({ number }) => number)).toContain(id);
  });

  it('sends when WhatsApp gives it back after the release', async () => {
    const { id } = await aNumber(ctx);
    await changeNumber(ctx, id, { cause: 'restricted' });
    await hold();
    await release();

    await changeNumber(ctx, id, { cause: 'restriction_lifted' });

    expect(await statusOf(id)).toBe('connected');
  });

  it('sends when a person connects it, until all are held again', async () => {
    const { id } = await aNumber(ctx);
    await hold();

    await connectNumber(ctx, id, {}, testKeyring);
    const connected = await statusOf(id);
    const again = await hold();

    expect(connected).toBe('connected');
    expect(again.held.map(({ number }) => number)).toEqual([id]);
    expect(await statusOf(id)).toBe(HELD);
  });

  it.each<[string, NumberCause[], string]>([
    ['held', [], HELD],
    ['suspended', ['restricted'], 'suspended: restricted'],
    ['in error', ['cannot_continue'], 'error: cannot_continue'],
  ])('that is %s stays so when it gets another business account', async (_, news, expected) => {
    const { id } = await aNumber(ctx);
    await hold();
    for (const cause of news) await changeNumber(ctx, id, { cause });

    await connectNumber(ctx, id, { businessAccountId: '102290129340398' }, testKeyring);

    const [row] = await rows<{ account: string; held: boolean }>(
      'select business_account_id as account, held_at is not null as held from numbers where id = $1',
      [id],
    );
    expect(await statusOf(id)).toBe(expected);
    expect(row).toEqual({ account: '102290129340398', held: true });
  });
});
