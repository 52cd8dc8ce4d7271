import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Context } from '../../src/context.ts';
import { createKeyring } from '../../src/crypto/keyring.ts';
import { type Database, inWorkspace } from '../../src/db/database.ts';
import { connectNumber } from '../../src/numbers/connecting.ts';
import { numberRoutes } from '../../src/numbers/routes.ts';
import { markNumberUnavailable } from '../../src/numbers/service.ts';
import { anApiKey } from '../support/factories/api-keys.ts';
import { aNumber, testKeyring } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { type OpenDoor, openDoor } from '../support/http.ts';
import { rowsOf } from '../support/rows-of.ts';

let door: OpenDoor;
let database: Database;
let ctx: Context;
let key: string;

beforeAll(async () => {
  door = await openDoor({ routes: numberRoutes });
  database = door.database;
  ({ ctx } = await aWorkspace(database));
  ({ key } = await anApiKey(ctx));
});

afterAll(() => door.close());

const get = (path: string, by = key) => door.api.call('GET', `/api/v1/numbers${path}`, { key: by });

describe('adding a number', () => {
  it('connects a sandbox number under digits of its own, without ceiling and window', async () => {
    const number = await aNumber(ctx, { name: 'Loja', phone: '+55 11 98765-4321' });

    const found = await get(`/${number.id}`);

    expect(number.phoneNumberId).toMatch(/^[1-9]{15}$/);
    expect(number.ceilingPerMinute).toBeNull();
    expect(found.status).toBe(200);
    expect(found.body).toEqual({
      id: number.id,
      name: 'Loja',
      phone: '+5511987654321',
      status: 'connected',
      default_team_id: null,
      created_at: ctx.now.toISOString(),
      team_ids: [],
      stage_id: null,
      hours: null,
      provider: 'sandbox',
      status_reason: null,
      status_changed_at: ctx.now.toISOString(),
      capabilities: {
        templates: true,
        window_24h: false,
        groups: true,
        group_max: 8,
        read_receipts: true,
      },
    });
  });

  it('holds a sandbox number to the window when asked, and a Cloud API number always', async () => {
    const sandbox = await aNumber(ctx, { window: true });
    const cloud = await aNumber(ctx, { provider: 'cloud_api', phoneNumberId: '106540352242922' });

    const one = await get(`/${sandbox.id}`);
    const other = await get(`/${cloud.id}`);

    expect(one.body.capabilities.window_24h).toBe(true);
    expect(other.body.capabilities.window_24h).toBe(true);
    expect(cloud.ceilingPerMinute).toBe(4_800);
  });

  it('leaves a Cloud API number whose id is not known yet in provisioning', async () => {
    const number = await aNumber(ctx, { provider: 'cloud_api' });

    expect(number).toMatchObject({ status: 'provisioning', phoneNumberId: null });
  });

  it('leaves one without an access token there too, until it is connected with one', async () => {
    const { id, status } = await aNumber(ctx, {
      provider: 'cloud_api',
      phoneNumberId: '106540352242924',
    });

    expect(status).toBe('provisioning');
    await expect(connectNumber(ctx, id, {}, testKeyring)).rejects.toMatchObject({
      code: 'validation',
      details: [{ path: 'access_token' }],
    });
    const connected = await connectNumber(ctx, id, { accessToken: 'EAAG' }, testKeyring);
    expect(connected.status).toBe('connected');
  });

  it('keeps the access token encrypted, bound to its row, and never shows it', async () => {
    const number = await aNumber(ctx, {
      provider: 'cloud_api',
      phoneNumberId: '106540352242923',
      accessToken: 'EAAG-very-secret',
    });

    const place = {
      table: 'numbers',
      row: number.id,
      organizationId: ctx.organizationId,
      column: 'access_token',
    };
    const stored = number.accessToken ?? '';
    const log = await rowsOf(ctx, 'select * from audit_entries');
    expect(stored).not.toContain('secret');
    expect(testKeyring.decrypt(stored, place)).toBe('EAAG-very-secret');
    expect(() => testKeyring.decrypt(stored, { ...place, row: 'num_other' })).toThrow();
    expect((await get(`/${number.id}`)).text + JSON.stringify(log)).not.toContain('EAAG');
  });

  it('refuses WhatsApp’s id of a number that is connected, in whichever workspace', async () => {
    const other = await aWorkspace(database);
    const { phoneNumberId } = await aNumber(other.ctx);

    const again = aNumber(ctx, { phoneNumberId: phoneNumberId ?? '' });

    await expect(again).rejects.toMatchObject({ code: 'duplicate' });
  });

  it.each([
    ['name', { name: '' }],
    ['name', { name: 'x'.repeat(61) }],
    ['phone', { phone: '11 98765-4321' }],
    ['phone_number_id', { phoneNumberId: '12a' }],
  ])('refuses a wrong %s', async (path, wishes) => {
    await expect(aNumber(ctx, wishes)).rejects.toMatchObject({
      code: 'validation',
      details: [expect.objectContaining({ path })],
    });
  });

  it('stops at the plan’s limit', async () => {
    const small = await aWorkspace(database, { plan: 'essencial' });
    await aNumber(small.ctx);

    await expect(aNumber(small.ctx)).rejects.toMatchObject({
      code: 'quota',
      details: { limit: 1, used: 1, plan: 'essencial' },
    });
  });
});

describe('reading numbers', () => {
  it('lists the workspace’s own, newest first, page by page', async () => {
    const own = await aWorkspace(database);
    const ownKey = (await anApiKey(own.ctx)).key;
    const added = [await aNumber(own.ctx), await aNumber(own.ctx), await aNumber(own.ctx)];

    const first = await get('?limit=2', ownKey);
    const second = await get(`?limit=2&cursor=${first.body.next_cursor}`, ownKey);

    const ids = [...first.body.data, ...second.body.data].map((row: { id: string }) => row.id);
    expect(ids).toEqual(added.map(({ id }) => id).reverse());
    expect(second.body.next_cursor).toBeNull();
  });
});

describe('a number that cannot send any more', () => {
  const mark = (numberId: string, status: 'disconnected' | 'suspended', reason: string) =>
    inWorkspace(database, ctx.organizationId, (sql) =>
      markNumberUnavailable({ ...ctx, sql, now: new Date() }, numberId, { status, reason }),
    );

  it('shows since when and why, keeps its first reason, and is audited once', async () => {
    const { id } = await aNumber(ctx);

    const news = await mark(id, 'disconnected', 'token_revoked');
    const again = await mark(id, 'disconnected', 'whatsapp_10');

    const found = await get(`/${id}`);
    const entries = await rowsOf<{ actor: { type: string } }>(
      ctx,
      "select actor from audit_entries where action = 'number.status_changed' and target ->> 'id' = $1",
      [id],
    );
    expect([news, again]).toEqual([true, false]);
    expect(found.body).toMatchObject({ status: 'disconnected', status_reason: 'token_revoked' });
    expect(found.body.status_changed_at > ctx.now.toISOString()).toBe(true);
    expect(entries).toEqual([{ actor: expect.objectContaining({ type: 'system' }) }]);
  });

  it('is taken into use again by a person, with a new token when there is one', async () => {
    const { id } = await aNumber(ctx);
    await mark(id, 'disconnected', 'token_revoked');

    const connected = await connectNumber(ctx, id, { accessToken: 'EAAG-fresh' }, testKeyring);
    const found = await get(`/${id}`);
    const audited = await rowsOf(
      ctx,
      "select changes from audit_entries where action = 'number.connected' and target ->> 'id' = $1",
      [id],
    );

    const place = { table: 'numbers', row: id, organizationId: ctx.organizationId };
    const token = { ...place, column: 'access_token' };
    expect(testKeyring.decrypt(connected.accessToken ?? '', token)).toBe('EAAG-fresh');
    expect(found.body).toMatchObject({ status: 'connected', status_reason: null });
    expect(audited).toHaveLength(1);
    expect(JSON.stringify(audited)).not.toContain('EAAG');
    await expect(connectNumber(ctx, id, {}, testKeyring)).rejects.toMatchObject({
      code: 'invalid_state',
    });
    await expect(connectNumber(ctx, 'num_other', {}, testKeyring)).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('is not taken into use with an access token that can be read no more', async () => {
    const { id } = await aNumber(ctx);
    const otherKeyring = createKeyring(`other:${randomBytes(32).toString('base64')}`);
    await connectNumber(ctx, id, { accessToken: 'EAAG' }, testKeyring);
    await mark(id, 'disconnected', 'token_revoked');

    await expect(connectNumber(ctx, id, {}, otherKeyring)).rejects.toMatchObject({
      code: 'validation',
      details: [{ path: 'access_token' }],
    });
    expect(await connectNumber(ctx, id, {}, testKeyring)).toMatchObject({ status: 'connected' });
  });
});
