import { beforeEach, describe, expect, it } from '@jest/globals';
import { warningOf } from '../../src/api-keys/rules.ts';
import { createApiKey, revokeApiKey } from '../../src/api-keys/service.ts';
import type { Context } from '../../src/context.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { openDoor } from '../support/http.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import { runUpkeep } from '../support/upkeep.ts';

const NOON = new Date('2026-11-21T12:00:00.000Z');
const later = (days: number): Date => new Date(NOON.getTime() + days * 86_400_000);

const door = opened(() => openDoor({ routes: [] }));
let ctx: Context;

beforeEach(async () => {
  ({ ctx } = await aWorkspace(door.database, { now: NOON }));
});

const aKey = async (name: string, lifetime: string): Promise<string> =>
  (await createApiKey(ctx, { name, scopes: ['contacts:read'], lifetime })).id;

const warn = (now: Date): Promise<void> =>
  runUpkeep({
    workflow: 'warnExpiringKeys',
    history: 'warn-expiring-keys',
    database: door.database,
    now,
  });

const warned = async (): Promise<unknown[]> => {
  const rows = await rowsOf<{ name: string; days: string; actor: string }>(
    ctx,
    `select target ->> 'name' as name, changes -> 1 ->> 'to' as days, actor ->> 'type' as actor
       from audit_entries where action = 'api_key.expiring' order by seq`,
  );
  return rows.map(({ name, days, actor }) => [name, Number(days), actor]);
};

describe('an API key that ends soon', () => {
  it('is written into the log 30 and 7 days before, once each', async () => {
    await aKey('Loja', '90d');
    await aKey('Prova', '30d');
    await aKey('Sempre', 'never');
    await revokeApiKey(ctx, await aKey('Antiga', '90d'));

    await warn(later(22.9));
    expect(await warned()).toEqual([]);
    for (const day of [23, 24, 60, 61, 83, 84, 91]) await warn(later(day));

    expect(await warned()).toEqual([
      ['Prova', 7, 'system'],
      ['Loja', 30, 'system'],
      ['Loja', 7, 'system'],
    ]);
  });

  it('is written into the log with all others, however many end at once', async () => {
    for (let n = 0; n <= 100; n += 1) await aKey(`Loja ${n}`, '90d');

    await warn(later(60));

    expect(await warned()).toHaveLength(101);
  });

  it.each([
    // days left, days it lives, last warning, due
    [31, 90, null, null],
    [30, 90, null, 30],
    [29, 90, 30, null],
    [7, 90, 30, 7],
    [7, 90, null, 7],
    [6, 90, 7, null],
    [30, 30, null, null],
    [7, 30, null, 7],
    [0, 90, 30, null],
  ])('with %d days left of %d, after the warning of %p, has %p due', (left, lives, last, due) => {
    const expiresAt = later(left);
    const key = { expiresAt, createdAt: later(left - lives), revokedAt: null, warned: last };

    expect(warningOf(key, NOON)).toBe(due);
    expect(warningOf({ ...key, revokedAt: NOON }, NOON)).toBeNull();
    expect(warningOf({ ...key, expiresAt: null }, NOON)).toBeNull();
  });
});
