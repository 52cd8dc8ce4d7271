import { beforeAll, describe, expect, it } from '@jest/globals';
import { contactRoutes } from '../../src/contacts/routes.ts';
import { newId } from '../../src/ids.ts';
import { openApi } from '../support/api.ts';
import { anApiKey } from '../support/factories/api-keys.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import type { Reply } from '../support/http.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';

const door = opened(() => openApi({ routes: contactRoutes }));
const list = (query: string, by = door.key): Promise<Reply> =>
  door.api.call('GET', `/api/v1/contacts?${query}`, { key: by });

const names = ({ body }: Reply): string[] => body.data.map((row: { name: string }) => row.name);

describe('the list of contacts', () => {
  it('gives every contact once, newest first, though others come in while paging', async () => {
    const paged = await aWorkspace(door.database);
    const pagedKey = (await anApiKey(paged.ctx)).key;
    for (let i = 1; i <= 7; i++) await aContact(paged.ctx, { name: `p${i}` });

    const seen: string[] = [];
    let cursor = '';
    do {
      const page: Reply = await list(`limit=3${cursor}`, pagedKey);
      seen.push(...names(page));
      await aContact(paged.ctx, { name: 'late' });
      cursor = page.body.next_cursor ? `&cursor=${page.body.next_cursor}` : '';
    } while (cursor);

    expect(seen).toEqual(['p7', 'p6', 'p5', 'p4', 'p3', 'p2', 'p1']);
  });

  it('shows in each item what the single record shows', async () => {
    const contact = await aContact(door.ctx, { name: 'Igual', tags: ['mesmo'] });

    const listed = await list('q=Igual');

    const single = await door.call('GET', `/contacts/${contact.id}`);
    expect(listed.body.data).toEqual([single.body]);
  });

  it('shows the latest window of the numbers that have one, and none of the others', async () => {
    const own = await aWorkspace(door.database);
    const by = (await anApiKey(own.ctx)).key;
    const bound = await aNumber(own.ctx, { window: true });
    const free = await aNumber(own.ctx, { window: false });
    const soon = '2031-01-01T00:00:00.000Z';
    const late = '2031-01-02T00:00:00.000Z';
    const wrote = async (name: string, windows: [{ id: string }, string][]): Promise<string> => {
      const { id } = await aContact(own.ctx, { name });
      for (const [number, until] of windows)
        await rowsOf(
          own.ctx,
          `insert into conversations (organization_id, id, number_id, contact_id, opened_at, created_at, window_expires_at)
             values ($1, $2, $3, $4, now(), now(), $5)`,
          [own.ctx.organizationId, newId('cnv'), number.id, id, until],
        );
      return id;
    };
    await wrote('both', [
      [bound, soon],
      [free, late],
    ]);
    const alone = await wrote('free alone', [[free, late]]);

    const listed = await list('', by);
    const filtered = await list('q=both', by);
    const single = await door.api.call('GET', `/api/v1/contacts/${alone}`, { key: by });

    const shown = listed.body.data.map(({ window_expires_at: at }: Record<string, unknown>) => at);
    expect(shown).toEqual([null, soon]);
    expect(filtered.body.data).toMatchObject([{ window_expires_at: soon }]);
    expect(single.body.window_expires_at).toBeNull();
  });

  it('never shows a contact of another workspace', async () => {
    const other = await aWorkspace(door.database);
    await aContact(other.ctx, { name: 'Alheio' });

    const found = await list('q=Alheio');

    expect(found.body).toEqual({ data: [], next_cursor: null });
  });
});

describe('the filters of the list', () => {
  beforeAll(async () => {
    const zoe = await aContact(door.ctx, {
      name: 'Zoé 100%_certa',
      phone: '+5511991110001',
      email: 'Zoe@Example.com',
      tags: ['Atacado'],
      owner_id: door.ownerId,
    });
    await aContact(door.ctx, { name: 'Zeca 1000 certa', phone: '+5511991110002' });
    await rowsOf(
      door.ctx,
      "update contacts set opted_out = true, origin = 'direct', updated_at = '2031-01-01T00:00:00Z' where id = $1",
      [zoe.id],
    );
  });

  it.each([
    ['a part of the name in any case', 'q=zoé'],
    ['wildcards taken literally', 'q=100%25_certa'],
    ['a part of the e-mail address', 'q=zoe@exa'],
    ['a part of the phone', 'q=91110001'],
    ['the phone', 'phone=%2B5511991110001'],
    ['the phone whose + became a space', 'phone=+5511991110001'],
    ['the phone without the ninth digit', 'phone=551191110001'],
    ['the phone with the zero of calls within the country', 'phone=%2B55+(011)+99111-0001'],
    ['the e-mail address in any case', 'email=zoe@example.COM'],
    ['a tag in any case', 'tag=ATACADO'],
    ['a tag with blanks around it', 'tag=%20atacado%20'],
    ['all filters together', 'opted_out=true&origin=direct&tag=atacado'],
    ['opted_out', 'opted_out=true'],
    ['origin', 'origin=direct'],
    ['updated_since', 'updated_since=2030-12-31T21:00:00-03:00'],
  ])('find by %s', async (_by, query) => {
    const found = await list(query);

    expect(found.status).toBe(200);
    expect(names(found)).toEqual(['Zoé 100%_certa']);
  });

  it('find by owner, and nobody for another workspace’s member', async () => {
    const other = await aWorkspace(door.database);

    const mine = await list(`owner_id=${door.ownerId}`);
    const foreign = await list(`owner_id=${other.ownerId}`);

    expect(names(mine)).toEqual(['Zoé 100%_certa']);
    expect(names(foreign)).toEqual([]);
  });

  it.each([
    ['opted_out', 'opted_out=yes'],
    ['origin', 'origin=space'],
    ['updated_since', 'updated_since=yesterday'],
    ['updated_since', 'updated_since=0000-01-01T00:00:00Z'],
    ['updated_since', 'updated_since=2026-01-01T00:00:00-16:00'],
    ['phone', 'phone=abc'],
    ['segment', 'segment=vip'],
  ])('refuse a wrong %s', async (path, query) => {
    const refused = await list(query);

    expect(refused.status).toBe(422);
    expect(refused.body.error.details).toContainEqual(expect.objectContaining({ path }));
  });

  it('bind the cursor: it does not continue a list with other filters', async () => {
    await aContact(door.ctx);
    await aContact(door.ctx);
    const page = await list('limit=1');

    const refused = await list(`limit=1&origin=import&cursor=${page.body.next_cursor}`);

    expect(refused.status).toBe(400);
    expect(refused.body.error.code).toBe('invalid_cursor');
  });
});
