import { beforeEach, describe, expect, it } from '@jest/globals';
import { importContacts } from '../../src/contacts/imports/rows.ts';
import { contactRoutes } from '../../src/contacts/routes.ts';
import { changeTags } from '../../src/contacts/service.ts';
import type { Context } from '../../src/context.ts';
import { segmentRoutes } from '../../src/segments/routes.ts';
import { anApiKey } from '../support/factories/api-keys.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { openDoor, type Reply } from '../support/http.ts';
import { opened } from '../support/opened.ts';

/** As a Mac's files have it, and as everybody types it. */
const APART = 'Cafe\u0301';
const WHOLE = 'Caf\u00e9';
const ENGLAND = '\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}';

let ctx: Context;
let key: string;

const door = opened(() => openDoor({ routes: [...contactRoutes, ...segmentRoutes] }));
beforeEach(async () => {
  ({ ctx } = await aWorkspace(door.database));
  ({ key } = await anApiKey(ctx));
});

const call = (method: string, path: string, body?: unknown): Promise<Reply> =>
  door.api.call(method, `/api/v1${path}`, { key, body });

const tagsOf = async (id: string): Promise<unknown> =>
  (await call('GET', `/contacts/${id}`)).body.tags;

const counted = async (op: string, value: unknown): Promise<unknown> =>
  (await call('POST', '/segments/preview', { rules: { field: 'tag', op, value } })).body.count;

describe('tags that look the same', () => {
  it.each([
    ['composed in two ways', [APART, WHOLE], [WHOLE]],
    ['with invisible characters around them', ['\u200bVIP', 'VIP\u200e ', '\ufeffvip'], ['VIP']],
    ['with line breaks in them', ['Feira\r\nde maio', '\nFeira\u2028de maio'], ['Feira de maio']],
    ['but for those that make an emoji', [ENGLAND, '\u{1f468}\u200d\u{1f373}'], null],
  ])('are one: %s', async (_, given, expected) => {
    const { id } = (await call('POST', '/contacts', { name: 'Ana', tags: given })).body;
    const created = await tagsOf(id);
    await call('PATCH', `/contacts/${id}`, { tags: [] });
    await call('PATCH', `/contacts/${id}`, { tags: given });

    expect([created, await tagsOf(id)]).toEqual([expected ?? given, expected ?? given]);
  });

  it('are counted in characters as they are kept', async () => {
    const tags = [`${'e\u0301'.repeat(60)} \u200b`];

    expect((await call('POST', '/contacts', { name: 'Ana', tags })).status).toBe(201);
    expect(
      (await call('POST', '/contacts', { name: 'Ana', tags: ['\u200b \u2060'] })).body,
    ).toEqual(
      expect.objectContaining({
        error: expect.objectContaining({
          details: [expect.objectContaining({ path: 'tags[0]', rule: 'min_length' })],
        }),
      }),
    );
  });

  it('are one in a file, in a step of an automation and where two people become one', async () => {
    const ana = await aContact(ctx, { phone: '+5511987650001', tags: [WHOLE] });

    const [row] = await importContacts(ctx, [{ phone: '+5511987650001', tags: [APART] }]);
    await changeTags(ctx, ana.id, { add: ['\u200bVIP', APART] });
    const added = await tagsOf(ana.id);
    await changeTags(ctx, ana.id, { remove: [APART, 'vip\u200b'] });

    expect(row?.outcome).toBe('unchanged');
    expect([added, await tagsOf(ana.id)]).toEqual([[WHOLE, 'VIP'], []]);
  });

  it('are fifty at most, each counted once', async () => {
    const fifty = Array.from({ length: 50 }, (_, n) => `tag ${n}`);
    const { id } = await aContact(ctx, { tags: [fifty[0] ?? ''] });

    await changeTags(ctx, id, { add: fifty });
    await expect(changeTags(ctx, id, { add: ['one more'] })).rejects.toMatchObject({
      details: [{ path: 'tags', rule: 'max_items', limit: 50 }],
    });

    expect(await tagsOf(id)).toEqual(fifty);
  });

  it.each([APART, WHOLE, ` ${WHOLE}\u200b`])('are found by each other: %j', async (asked) => {
    const { id } = await aContact(ctx, { tags: ['novo', APART] });
    await aContact(ctx, { tags: ['novo'] });

    const found = await call('GET', `/contacts?tag=${encodeURIComponent(asked)}`);

    expect(found.body.data).toMatchObject([{ id }]);
    expect(await counted('has_any', [asked])).toBe(1);
    expect(await counted('has_all', ['novo', asked])).toBe(1);
    expect(await counted('eq', asked)).toBe(1);
    expect(await counted('has_none', [asked])).toBe(1);
  });
});
