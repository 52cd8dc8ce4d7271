import { describe, expect, it } from '@jest/globals';
import { contactImportRoutes } from '../../src/contacts/imports/routes.ts';
import { importSome } from '../../src/contacts/imports/steps.ts';
import type { ImportRowView } from '../../src/contacts/schema.ts';
import { openApi } from '../support/api.ts';
import type { Reply } from '../support/http.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import { contextsOf, fileOf, imported } from './support/imports.ts';

const door = opened(() => openApi({ routes: contactImportRoutes }));
const call = (method: string, path: string, body?: unknown): Promise<Reply> =>
  door.call(method, `/contacts${path}`, body);

const finish = (id: string) =>
  importSome(
    contextsOf(door.database),
    { organizationId: door.ctx.organizationId, importId: id },
    () => true,
  );

describe('a file', () => {
  it.each<[string, string, string | Uint8Array<ArrayBuffer>]>([
    ['with unknown columns', 'unknown_columns', 'name,fone\nAna,1\n'],
    [
      'with a custom field in the spelling of a spreadsheet',
      'unknown_columns',
      'custom.Cidade\nRio\n',
    ],
    ['with a column twice', 'repeated_column', 'name,name\nAna,Ana\n'],
    ['without rows', 'min_rows', 'name,phone\n'],
    ['that is empty', 'min_rows', ''],
    ['of empty cells alone', 'min_rows', 'name,phone,email\n,,\n , \n'],
    ['with an open quote', 'csv', 'name,phone\n"Ana,+5511987654321\n'],
    ['with a quote within a cell', 'csv', 'name,phone\nBia "x",\n'],
    ['in another encoding', 'encoding', new Uint8Array([0x6e, 0x61, 0x6d, 0x65, 0x0a, 0xe9, 0x0a])],
    ['with a NUL', 'encoding', 'name\nA\0na\n'],
    [
      'with too many columns',
      'max_columns',
      `${Array.from({ length: 501 }, (_, n) => `custom.f${n}`)}\n1\n`,
    ],
    ['with too many rows', 'max_rows', `name\n${'Ana\n'.repeat(100_001)}`],
  ])('%s is refused as %s, and nothing is kept', async (_, rule, text) => {
    const before = await rowsOf(door.ctx, 'select count(*) as n from contact_imports');

    const refused = await call('POST', '/imports', fileOf(text));

    expect(refused.status).toBe(422);
    expect(refused.body.error.details).toEqual([expect.objectContaining({ path: 'file', rule })]);
    expect(await rowsOf(door.ctx, 'select count(*) as n from contact_imports')).toEqual(before);
  });

  it('with a contact of as many and as long fields as there may be is taken in', async () => {
    const quotes = Array.from({ length: 100 }, (_, n) => [`field_${n}`, '"'.repeat(2_000)]);
    const cell = JSON.stringify(Object.fromEntries(quotes)).replaceAll('"', '""');

    const { id } = await imported(door.api, door.key, `name,custom\nAna,"${cell}"\n`);

    expect(await finish(id)).toEqual({ status: 'done', total: 1, done: 1, failed: 0 });
  });

  it('with a row of another length loses that row alone', async () => {
    const text = 'name,email\nAna,a@example.org\nBia\nCaio,c@example.org,3\nDu,d@example.org\n';

    const { id, total, failed } = await imported(door.api, door.key, text);
    const progress = await finish(id);

    expect([total, failed]).toEqual([4, 2]);
    expect(progress).toEqual({ status: 'done', total: 4, done: 4, failed: 2 });
    const { data } = (await call('GET', `/imports/${id}/rows`)).body;
    expect(
      data.map(({ line, outcome, problems }: ImportRowView) => [line, outcome, problems[0]?.rule]),
    ).toEqual([
      [2, 'created', undefined],
      [3, 'failed', 'columns'],
      [4, 'failed', 'columns'],
      [5, 'created', undefined],
    ]);
    expect((await call('GET', `/imports/${id}`)).body).toMatchObject({ created: 2, failed: 2 });
  });

  it.each([
    ['whose first line alone ends in CRLF', 'name,phone\r\nAna,\nBia,\r\n', '2 created, 3 created'],
    [
      'whose first line alone ends in LF',
      'name,phone\nAna,\r\n"Bia\nLima",\r\n',
      '2 created, 4 created',
    ],
    ['whose lines end in CR', 'name,phone\rAna,\rBia,\r', '2 created, 3 created'],
    [
      'with lines of each end in its cells',
      'name,notes\r\nAna,"1\r\n2\r\n\r\n4"\r\n"\r\n",\r\nBia,"1\n2"\r\nCaio,"1\r2",3\r\nDu,"1\r\n2"',
      '5 created, 9 created, 11 failed, 13 created',
    ],
    [
      'with rows of empty cells',
      'name,phone,email\n,,\nAna,,\n , \n\nBia,\n,,\nCaio,,\n,,\n',
      '3 created, 6 failed, 8 created',
    ],
  ])('%s has each of its rows taken in, under its own line', async (_, text, outcomes) => {
    const { id, total } = await imported(door.api, door.key, text);
    await finish(id);

    const { data } = (await call('GET', `/imports/${id}/rows`)).body;
    const became = data.map(({ line, outcome }: ImportRowView) => `${line} ${outcome}`);
    expect([total, became.join(', ')]).toEqual([outcomes.split(', ').length, outcomes]);
  });

  it.each([
    ['a NUL', '{"a":"\\u0000"}', 'custom'],
    ['half a character', '{"a":"\\ud83d"}', 'custom'],
    ['half a character in a key', '{"\\ud83d":1}', 'custom'],
    ['40,000 lists in each other', '['.repeat(40_000) + ']'.repeat(40_000), 'custom'],
    ['as many in a field', `{"a":${'['.repeat(40_000)}${']'.repeat(40_000)}}`, 'custom'],
    ['an object in a field', '{"a":{"b":1}}', 'custom.a'],
    ['no object', '7', 'custom'],
  ])('with %s in a cell of custom fields loses that row alone', async (_, cell, path) => {
    const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
    const emoji = '{"a":"\\ud83d\\ude00"}';
    const text = `name,custom\nAna,${quoted(emoji)}\nBia,${quoted(cell)}\n`;

    const { id } = await imported(door.api, door.key, text);
    await finish(id);

    const { data } = (await call('GET', `/imports/${id}/rows`)).body;
    expect(
      data.map(({ line, outcome, problems }: ImportRowView) => [line, outcome, problems[0]?.path]),
    ).toEqual([
      [2, 'created', undefined],
      [3, 'failed', path],
    ]);
  });

  it('takes a list of texts under tags for the tags, and any other list for a text', async () => {
    const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
    const cells = ['["listed;a","b"]', '["listed\\u0000"]', '[listed, 1]'];

    await finish(
      (
        await imported(
          door.api,
          door.key,
          `name,tags\n${cells.map((cell) => `Ana,${quoted(cell)}\n`).join('')}`,
        )
      ).id,
    );

    expect(
      await rowsOf(
        door.ctx,
        "select tags from contacts where tags::text like '%listed%' order by id",
      ),
    ).toEqual([{ tags: ['listed;a', 'b'] }, { tags: [cells[1]] }, { tags: [cells[2]] }]);
  });

  it('that cannot be read is refused with the line of the cell at fault', async () => {
    const text = 'name,notes\r\nAna,"1\r\n2"\r\nBia,"1\r\n2\r\nCaio,"3"\r\n';

    const refused = await call('POST', '/imports', fileOf(text));

    const [{ message, which }] = refused.body.error.details;
    expect(which).toEqual([4]);
    expect(message).toBe('The file cannot be read as CSV near line 4: look for quotes.');
  });

  it('of more than 10 MiB is refused before it is read', async () => {
    const refused = await call('POST', '/imports', fileOf('x'.repeat(10 * 1024 * 1024 + 1)));

    expect([refused.status, refused.body.error.code]).toEqual([413, 'payload_too_large']);
  });

  it('may begin with a byte order mark, and have commas or semicolons', async () => {
    const files = ['\uFEFFname,email\nAna,a1@example.com\n', 'name;email\nAna;a2@example.com\n'];

    const outcomes: unknown[] = [];
    for (const text of files)
      outcomes.push(await finish((await imported(door.api, door.key, text)).id));

    expect(outcomes).toEqual(files.map(() => ({ status: 'done', total: 1, done: 1, failed: 0 })));
  });
});
