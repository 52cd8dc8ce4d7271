import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { expiringSoon, expiryOf, statusOf } from '../../src/api-keys/rules.ts';
import { createApiKey, listApiKeys, revokeApiKey } from '../../src/api-keys/service.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { transact } from '../../src/db/transact.ts';
import { openOwnDatabase } from '../support/database.ts';
import { anApiKey } from '../support/factories/api-keys.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';

const database = opened(openOwnDatabase);

/** What the door finds for a key, or null. */
async function enter(key: string): Promise<string | null> {
  const hash = createHash('sha256').update(key).digest();
  const { rows } = await database.reads.query('select * from wms.enter($1, 600, $2)', [
    hash,
    '203.0.113.7',
  ]);
  return rows[0].organization_id;
}

describe('an API key', () => {
  it('opens its workspace, and is kept as a hash and its first twelve characters only', async () => {
    const { ctx, workspaceId } = await aWorkspace(database);

    const { id, key } = await createApiKey(ctx, {
      name: 'Loja',
      scopes: ['contacts:read', 'contacts:read', 'campaigns:send'],
      lifetime: '90d',
    });

    const entered = await enter(key);
    const listed = await transact(ctx, listApiKeys);
    const everything = await inWorkspace(database, workspaceId, (sql) =>
      sql.rows('select k.*, a.* from api_keys k, audit_entries a'),
    );
    expect(key).toMatch(/^sk_live_[0-9a-f]{32}$/);
    expect(entered).toBe(workspaceId);
    expect(listed).toEqual([
      {
        id,
        name: 'Loja',
        prefix: key.slice(0, 12),
        scopes: ['contacts:read', 'campaigns:send'],
        status: 'active',
        expires_at: new Date(ctx.now.getTime() + 90 * 86_400_000).toISOString(),
        expiring_soon: false,
        last_used_at: expect.any(String),
        last_used_ip: '203.0.113.7',
        service_account: { id: expect.stringMatching(/^sva_/), name: 'Loja' },
        created_by: 'tests',
        created_at: ctx.now.toISOString(),
      },
    ]);
    expect(JSON.stringify(everything)).not.toContain(key.slice(12));
  });

  it('stops at once when it is revoked, and can be revoked only once', async () => {
    const { ctx } = await aWorkspace(database);
    const { id, key } = await anApiKey(ctx);

    const answer = await revokeApiKey(ctx, id);

    expect(answer).toEqual({ id, status: 'revoked' });
    expect(await enter(key)).toBeNull();
    expect((await transact(ctx, listApiKeys))[0]?.status).toBe('revoked');
    await expect(revokeApiKey(ctx, id)).rejects.toMatchObject({
      code: 'invalid_state',
      details: { status: 'revoked' },
    });
  });

  it('that has expired is revoked too, and the log says that it had', async () => {
    const { ctx } = await aWorkspace(database);
    const { id: live } = await anApiKey(ctx);
    const { id: past } = await anApiKey(ctx);
    await rowsOf(
      ctx,
      "update api_keys set expires_at = $2::timestamptz - interval '1 day' where id = $1",
      [past, ctx.now],
    );

    for (const id of [live, past]) await revokeApiKey(ctx, id);

    const log = "select changes from audit_entries where action = 'api_key.revoked' order by seq";
    expect(await rowsOf(ctx, log)).toEqual([
      { changes: [{ field: 'status', from: 'active', to: 'revoked' }] },
      { changes: [{ field: 'status', from: 'expired', to: 'revoked' }] },
    ]);
  });

  it('is no other workspace’s to revoke', async () => {
    const mine = await aWorkspace(database);
    const theirs = await aWorkspace(database);
    const { id, key } = await anApiKey(theirs.ctx);

    await expect(revokeApiKey(mine.ctx, id)).rejects.toMatchObject({ code: 'not_found' });
    expect(await enter(key)).toBe(theirs.workspaceId);
  });

  it('has a name of 60 characters at most, whatever they are, and stands before older ones', async () => {
    const { ctx } = await aWorkspace(database);
    const named = (name: string) =>
      createApiKey(ctx, { name, scopes: ['contacts:read'], lifetime: 'never' });

    for (const name of [' Loja ', '😀'.repeat(60)]) await named(name);

    const names = (await transact(ctx, listApiKeys)).map(({ name }) => name);
    expect(names).toEqual(['😀'.repeat(60), 'Loja']);
    await expect(named('a'.repeat(61))).rejects.toMatchObject({
      details: [{ path: 'name', rule: 'length', limit: 60 }],
    });
  });

  it.each([
    ['name', { name: ' ', scopes: ['contacts:read'], lifetime: 'never' }],
    ['name', { name: '\u200B', scopes: ['contacts:read'], lifetime: 'never' }],
    ['name', { name: 'a\u202Eb', scopes: ['contacts:read'], lifetime: 'never' }],
    ['scopes', { name: 'x', scopes: [], lifetime: 'never' }],
    ['scopes', { name: 'x', scopes: ['contacts:read', 'everything'], lifetime: 'never' }],
    ['lifetime', { name: 'x', scopes: ['contacts:read'], lifetime: '2y' }],
  ])('is refused when its %s is not valid', async (path, input) => {
    const { ctx } = await aWorkspace(database);

    await expect(createApiKey(ctx, input)).rejects.toMatchObject({
      code: 'validation',
      details: [expect.objectContaining({ path })],
    });
    expect(await transact(ctx, listApiKeys)).toEqual([]);
  });
});

describe('the life of a key', () => {
  const now = new Date('2026-11-21T12:00:00Z');

  it.each([
    ['30d', '2026-12-21T12:00:00.000Z'],
    ['90d', '2027-02-19T12:00:00.000Z'],
    ['1y', '2027-11-21T12:00:00.000Z'],
  ] as const)('of %s ends at %s', (lifetime, end) => {
    expect(expiryOf(lifetime, now)?.toISOString()).toBe(end);
  });

  it('of never has no end', () => {
    expect(expiryOf('never', now)).toBeNull();
  });

  it.each([
    ['active, not soon', '2026-12-21T12:00:00.001Z', null, 'active', false],
    ['active, in its last 30 days', '2026-12-21T12:00:00Z', null, 'active', true],
    ['expired at its very end', '2026-11-21T12:00:00Z', null, 'expired', false],
    [
      'revoked, though it has days left',
      '2026-12-01T12:00:00Z',
      '2026-11-01T00:00:00Z',
      'revoked',
      false,
    ],
    [
      'revoked, though it has expired too',
      '2026-11-01T12:00:00Z',
      '2026-10-01T00:00:00Z',
      'revoked',
      false,
    ],
  ])('is %s', (_what, expires, revoked, status, soon) => {
    const key = { expiresAt: new Date(expires), revokedAt: revoked ? new Date(revoked) : null };

    expect(statusOf(key, now)).toBe(status);
    expect(expiringSoon(key, now)).toBe(soon);
  });
});
