import { describe, expect, it } from '@jest/globals';
import { MAX_IMPORT_BYTES } from '../../src/contacts/imports/service.ts';
import { getContact, updateContact } from '../../src/contacts/service.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import { aConsoleScene, type Visitor } from './support/scene.ts';

const scene = opened(() => aConsoleScene());

const list = (): string => `${scene.base}/contacts`;
const contact = (id: string) =>
  inWorkspace(scene.database, scene.ctx.organizationId, (sql) =>
    getContact({ ...scene.ctx, sql }, id),
  );

it('adds a contact, shows it and changes it', async () => {
  const { agent } = scene.people;
  const made = await agent.send(`${list()}/new`, 'create', {
    name: 'Ana Souza',
    phone: '+55 11 98765-4321',
    email: '',
    tags: 'vip\npraia',
    notes: 'Gosta de café',
  });
  const address = made.headers.get('location') ?? '';
  const id = address.split('/').at(-1) ?? '';
  expect([made.status, address]).toEqual([303, `${list()}/${id}`]);
  expect((await agent.get(address)).text).toContain('+5511987654321');

  const fields = { name: 'Ana Lima', phone: '+5511987654321', email: 'ana@example.com' };
  const change = { ...(await shownIn(address)), ...fields, tags: 'praia', notes: '' };
  const saved = await agent.send(address, 'save', change);

  expect(saved.status).toBe(303);
  const kept = await contact(id);
  expect(kept).toMatchObject({ ...fields, tags: ['praia'], notes: '' });
});

/** What the form of the page holds, before anybody writes in it. */
async function shownIn(path: string): Promise<Record<string, string>> {
  const { text } = await scene.people.agent.get(path);
  const hidden = [...text.matchAll(/name="shown_(\w+)" value="([^"]*)"/g)];
  return Object.fromEntries(
    hidden.flatMap(([, name = '', value = '']) => [
      [name, value],
      [`shown_${name}`, value],
    ]),
  );
}

it('saves what was changed, and leaves what changed meanwhile', async () => {
  const { id } = await aContact(scene.ctx, { name: 'Ivo', tags: ['bolo, sem leite'] });
  const address = `${list()}/${id}`;
  const shown = await shownIn(address);
  await updateContact(scene.ctx, id, {
    email: 'ivo@example.com',
    tags: ['bolo, sem leite', 'vip'],
  });

  const { agent } = scene.people;
  const saved = await agent.send(address, 'save', { ...shown, notes: 'Liga às 9h' });

  expect(saved.status).toBe(303);
  expect(await contact(id)).toMatchObject({
    name: 'Ivo',
    email: 'ivo@example.com',
    tags: ['bolo, sem leite', 'vip'],
    notes: 'Liga às 9h',
  });
});

it('changes somebody who has no name', async () => {
  const { agent } = scene.people;
  const made = await agent.send(`${list()}/new`, 'create', { phone: '+5511955554444' });
  const address = made.headers.get('location') ?? '';
  const shown = await shownIn(address);

  expect((await agent.send(address, 'save', { ...shown, tags: 'vip' })).status).toBe(303);
  expect((await contact(address.split('/').at(-1) ?? '')).tags).toEqual(['vip']);
  expect((await agent.send(address, 'save', await shownIn(address))).status).toBe(303);
  const wrong = await agent.send(address, 'save', { ...(await shownIn(address)), phone: '12' });
  expect([wrong.status, wrong.text.includes('name="shown_phone" value="+5511955554444"')]).toEqual([
    422,
    true,
  ]);
});

it('keeps what was written, and says at the fields what is wrong', async () => {
  const reply = await scene.people.agent.send(`${list()}/new`, 'create', {
    name: `Bia <b> D'Ávila & "Cia"`,
    phone: '12',
    email: 'nobody',
    tags: `vip\n${'x'.repeat(61)}`,
    notes: '',
  });

  expect(reply.status).toBe(422);
  expect(reply.text).toMatch(/id="f-tags-error">[^<]+60/);
  expect(reply.text).toContain('<a href="#f-phone">');
  expect(reply.text).toContain('<a href="#f-email">');
  expect(reply.text).toContain('value="Bia &lt;b&gt; D&#39;Ávila &amp; &quot;Cia&quot;"');
});

it('says that a phone belongs to somebody already', async () => {
  await aContact(scene.ctx, { name: 'Caio', phone: '+5511987650000' });
  const reply = await scene.people.agent.send(`${list()}/new`, 'create', {
    name: 'Outro',
    phone: '+5511987650000',
  });

  expect([reply.status, reply.text.includes('role="alert"')]).toEqual([409, true]);
});

it('finds people, and goes through the list page by page', async () => {
  for (let i = 0; i < 52; i += 1) await aContact(scene.ctx, { name: `Zé ${i}.` });
  const { viewer } = scene.people;

  const found = await viewer.get(`${list()}?q=${encodeURIComponent('Zé 7.')}`);
  const first = await viewer.get(`${list()}?q=Z%C3%A9`);
  const next = /href="([^"]*after=con_[^"]*)"/.exec(first.text)?.[1]?.replaceAll('&amp;', '&');
  const second = await viewer.get(next ?? '');
  const none = await viewer.get(`${list()}?q=ninguem`);

  expect(found.text).toContain('Zé 7.</a>');
  expect(found.text).not.toContain('Zé 8.');
  expect(first.text).not.toContain('Zé 0.');
  expect(second.text).toContain('Zé 0.</a>');
  expect(none.text).toContain('No contact here.');
});

it('shows a Viewer no form, and refuses what it would send', async () => {
  const { id } = await aContact(scene.ctx, { name: 'Dora' });
  const { viewer } = scene.people;

  const shown = await viewer.get(`${list()}/${id}`);
  const sent = await viewer.send(`${list()}/${id}`, 'save', { name: 'X' });

  expect([shown.status, shown.text.includes('name="action"')]).toEqual([200, false]);
  expect(sent.status).toBe(403);
  expect((await viewer.get(`${list()}/new`)).status).toBe(403);
  expect((await contact(id)).name).toBe('Dora');
});

it("answers another workspace's contact as missing, and changes nothing of it", async () => {
  const other = await aWorkspace(scene.database);
  const foreign = await aContact(other.ctx, { name: 'Segredo' });
  const { owner } = scene.people;

  const shown = await owner.get(`${list()}/${foreign.id}`);
  const { text } = await owner.get(list());
  const _csrf = /name="_csrf" value="([^"]+)"/.exec(text)?.[1] ?? '';
  const sent = await owner.post(`${list()}/${foreign.id}`, { _csrf, action: 'save', name: 'X' });

  expect([shown.status, sent.status]).toEqual([404, 404]);
  expect(text).not.toContain('Segredo');
});

describe('imports', () => {
  const imports = (): string => `${list()}/imports`;

  /** A form with a file, as a browser sends it. */
  async function upload(
    person: Visitor,
    csv: string,
    { csrf, headers = {} }: { csrf?: string; headers?: Record<string, string> } = {},
  ): Promise<Response> {
    const { text } = await person.get(imports());
    const body = new FormData();
    body.append('_csrf', csrf ?? /name="_csrf" value="([^"]+)"/.exec(text)?.[1] ?? '');
    body.append('action', 'import');
    body.append('file', new Blob([csv]), 'clientes.csv');
    return fetch(scene.api.url + imports(), {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie: `wms_session=${person.token}`, ...headers },
      body,
    });
  }
  const count = async (): Promise<number> => {
    const rows = await rowsOf(scene.ctx, 'select id from contact_imports');
    return rows.length;
  };

  it('takes a file, shows how far it is and what became of each row, and stops', async () => {
    const { admin } = scene.people;
    const begun = await upload(admin, 'name,phone\nRita,+5511987651111\nSem,12345,9\n');
    const address = begun.headers.get('location') ?? '';
    expect([begun.status, address]).toEqual([303, expect.stringContaining(`${imports()}/imp_`)]);

    const { text } = await admin.get(address);
    expect(text).toContain('clientes.csv');
    expect(text).toContain('hx-trigger="every 2s"');
    expect(text).toMatch(/"Line">2<.*>waiting<.*"Line">3<.*"Why">This row has more/s);
    expect((await admin.get(`${address}?outcome=created`)).text).toContain('No row here.');
    expect((await admin.get(imports())).text).toContain(`href="${address}"`);

    expect((await admin.send(address, 'stop')).status).toBe(303);
    expect((await admin.get(address)).text).toMatch(/"Line">2<\/td><td [^>]*>stopped<.*"Line">3</s);
  });

  it('refuses a file without the token, of another site, and of whoever may not import', async () => {
    const { admin, agent } = scene.people;
    const before = await count();
    const csv = 'name\nRita\n';

    const refused = [
      await upload(admin, csv, { csrf: 'wrong' }),
      await upload(admin, csv, { headers: { origin: 'https://evil.test' } }),
      await upload(admin, csv, { headers: { 'sec-fetch-site': 'cross-site' } }),
      await upload(agent, csv),
    ];

    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
    expect(await count()).toBe(before);
  });

  it('takes a file on no other page', async () => {
    const body = new FormData();
    body.append('action', 'create');
    const reply = await fetch(`${scene.api.url}${list()}/new`, {
      method: 'POST',
      headers: { cookie: `wms_session=${scene.people.owner.token}` },
      body,
    });
    expect(reply.status).toBe(404);
  });

  it('says what is wrong with a file that nobody can read', async () => {
    const reply = await upload(scene.people.owner, 'nonsense,columns\n1,2\n');

    expect(reply.status).toBe(422);
    expect(await reply.text()).toContain('role="alert"');
  });

  it('says at the file that it is too large', async () => {
    const reply = await upload(scene.people.owner, 'x'.repeat(MAX_IMPORT_BYTES + 1));

    const text = await reply.text();
    expect(reply.status).toBe(413);
    expect(text).toContain('<a href="#f-file">CSV file: The file is too large.</a>');
    expect(text).toContain('At most 10 MB.');
  });
});
