import { Readable } from 'node:stream';
import { expect, it } from '@jest/globals';
import { ROLES } from '../../src/access/roles.ts';
import { listAudit } from '../../src/audit/reading.ts';
import { type CsvRow, readCsv } from '../../src/contacts/imports/csv.ts';
import { importContacts } from '../../src/contacts/imports/rows.ts';
import { getContact } from '../../src/contacts/service.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { transact } from '../../src/db/transact.ts';
import { placeDownload } from '../../src/http/file-places.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { opened } from '../support/opened.ts';
import { aConsoleScene } from './support/scene.ts';

const scene = opened(() => aConsoleScene());

const file = (): string => `${scene.base}/contacts.csv`;

it('everybody is in the file, and nobody of another workspace', async () => {
  const elsewhere = await aWorkspace(scene.database);
  await aContact(elsewhere.ctx, { name: 'Alheia' });
  const fields = { tags: ['vip', 'novo'], custom: { city: 'Olinda' }, notes: '=1+1' };
  const { id } = await aContact(scene.ctx, { name: 'Ana "Nina" Souza', ...fields });
  const rows = Array.from({ length: 1_001 }, (_, i) => ({ email: `c${i}@example.com` }));
  const others = await importContacts(scene.ctx, rows);

  const { status, headers, text } = await scene.people.owner.get(file());

  const [head, ...lines] = text.trimEnd().split('\r\n');
  expect(status).toBe(200);
  expect(headers.get('content-disposition')).toContain(`contacts-${scene.ctx.organizationId}.csv`);
  expect(head).toMatch(/^name,phone,email,tags,birth_date,/);
  expect(lines).toHaveLength(1_002);
  expect(new Set(lines.map((line) => /,(con_\w+),/.exec(line)?.[1]))).toEqual(
    new Set([id, ...others.map(({ contactId }) => contactId)]),
  );
  expect(lines.at(-1)).toContain('"Ana ""Nina"" Souza"');
  expect(lines.at(-1)).toContain(`vip;novo,,true,,,'=1+1,"{""city"":""Olinda""}",`);
  expect(text).not.toContain('Alheia');
});

it('the file can be imported as it is: nobody is changed here, and who is new elsewhere has all of it', async () => {
  const elsewhere = await aWorkspace(scene.database);
  const custom = { age: 42, vip: true, pets: ['Rex', 'Mia, a gata'], plan: '=42' };
  const { id } = await aContact(scene.ctx, {
    name: '@ana',
    phone: '+5581987650001',
    birth_date: '2000-02-29',
    birth_year_known: false,
    notes: '=1+1\n"dois"',
    tags: ['a;b', 'vip'],
    custom,
  });
  await aContact(scene.ctx, { name: 'Cris', tags: ['["a","b"]'] });
  const family = { email: 'familia@example.com' };
  await aContact(scene.ctx, { ...family, name: 'Mãe', phone: null });
  await aContact(scene.ctx, { ...family, name: 'Filho', phone: null });
  const stranger = await aContact(scene.ctx, { phone: null });
  // As whoever hides their phone and their name.
  await transact(scene.ctx, ({ sql, organizationId }) =>
    sql.rows("update contacts set name = '' where organization_id = $1 and id = $2", [
      organizationId,
      stranger.id,
    ]),
  );
  const { text } = await scene.people.owner.get(file());
  const rows: CsvRow[] = [];
  for await (const row of readCsv(Readable.from([Buffer.from(text)]), 10_000)) rows.push(row);
  const fields = rows.map((row) => row.fields);

  const here = await importContacts(scene.ctx, fields);
  const there = await importContacts(elsewhere.ctx, fields);

  expect(new Set(here.map(({ outcome }) => outcome))).toEqual(new Set(['unchanged']));
  expect(here.map(({ contactId }) => contactId)).toEqual(fields.map((row) => row['id']));
  const at = (wanted: string): number => fields.findIndex((row) => row['id'] === wanted);
  expect(there[at(stranger.id)]).toMatchObject({
    outcome: 'invalid',
    problems: [{ path: 'name' }],
  });
  const copy = await transact(elsewhere.ctx, (tx) =>
    getContact(tx, there[at(id)]?.contactId ?? ''),
  );
  const { name, phone, birth_date, birth_year_known, notes, tags } = await transact(
    scene.ctx,
    (tx) => getContact(tx, id),
  );
  expect(copy).toMatchObject({ name, phone, birth_date, birth_year_known, notes, tags, custom });
});

it('is offered and given to Owner and Admin alone', async () => {
  const given = await Promise.all(
    ROLES.map(async (role) => {
      const page = await scene.people[role].get(`${scene.base}/contacts`);
      const { status } = await scene.people[role].get(file());
      return [role, page.text.includes(`href="${file()}"`), status];
    }),
  );

  expect(given).toEqual([
    ['owner', true, 200],
    ['admin', true, 200],
    ['agent', false, 403],
    ['viewer', false, 403],
  ]);
});

it('whoever takes everybody along stands in the log, and whoever may not does not', async () => {
  const { owner, agent } = scene.people;
  const exported = () =>
    inWorkspace(scene.database, scene.ctx.organizationId, async (sql) =>
      (await listAudit({ ...scene.ctx, sql }, { before: null, limit: 50 })).filter(
        ({ action }) => action === 'contact.exported',
      ),
    );
  const before = await exported();

  await owner.get(file());
  await agent.get(file());

  const [newest, ...others] = await exported();
  expect(others).toHaveLength(before.length);
  expect(newest?.actor).toMatchObject({ type: 'member', member_id: newest?.actor.id });
  expect(newest?.target).toMatchObject({ type: 'workspace', id: scene.ctx.organizationId });
  expect((await owner.get(`${scene.base}/audit`)).text).toContain('Downloaded all contacts');
});

it('is not given while as many files as a workspace may take are on their way', async () => {
  const { organizationId } = scene.ctx;
  const ends: (() => void)[] = [];
  const gone = (end: () => void) => {
    ends.push(end);
    return () => {};
  };
  for (let n = 0; n < 32; n += 1)
    placeDownload(
      { credentialId: `${n}`, organizationId },
      { id: '', ip: null, userAgent: null, gone },
    );
  const { owner } = scene.people;

  const refused = await owner.get(file());
  for (const end of ends) end();

  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
  expect((await owner.get(file())).status).toBe(200);
});
