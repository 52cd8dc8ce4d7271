import { expect, it } from '@jest/globals';
import { getContact } from '../../src/contacts/service.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation } from '../support/factories/conversations.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aMember } from '../support/members.ts';
import { opened } from '../support/opened.ts';
import { aConsoleScene } from './support/scene.ts';

const scene = opened(() => aConsoleScene());

const list = (): string => `${scene.base}/contacts`;
const contact = (id: string) =>
  inWorkspace(scene.database, scene.ctx.organizationId, (sql) =>
    getContact({ ...scene.ctx, sql }, id),
  );

it('deletes a contact for those who may, after saying what stays', async () => {
  const { id } = await aContact(scene.ctx, { name: 'Ana' });
  const { id: numberId } = await aNumber(scene.ctx);
  await aConversation(scene.ctx, { numberId, contactId: id });
  const { admin, agent } = scene.people;
  const address = `${list()}/${id}`;

  const shown = await admin.get(address);
  const portuguese = await admin.get(address, { 'accept-language': 'pt-BR' });
  expect(shown.text).toMatch(/Counts of campaigns[^<]* stay.*30 days.*audit log/s);
  expect(portuguese.text).toMatch(/Os números de campanhas[^<]* ficam.*30 dias.*auditoria/s);
  expect((await agent.get(address)).text).not.toContain('value="delete"');
  expect((await agent.send(address, 'delete')).status).toBe(403);

  const deleted = await admin.send(address, 'delete');

  expect([deleted.status, deleted.headers.get('location')]).toEqual([303, list()]);
  expect((await admin.get(address)).status).toBe(404);
});

it('blocks a contact and lifts that again', async () => {
  const { id } = await aContact(scene.ctx, { name: 'Bia' });
  const { agent } = scene.people;
  const address = `${list()}/${id}`;

  expect((await agent.send(address, 'block')).status).toBe(303);
  expect((await contact(id)).blocked).toBe(true);
  const shown = await agent.get(address);
  expect(shown.text).toContain('blocked</span>');
  expect(shown.text).not.toContain('value="block"');
  expect((await agent.send(address, 'unblock')).status).toBe(303);
  expect((await contact(id)).blocked).toBe(false);
  expect((await scene.people.viewer.send(address, 'block')).status).toBe(403);
});

it('merges the contact that was found, and says beside the search that one is missing', async () => {
  const { id } = await aContact(scene.ctx, { name: 'Caio', phone: '+5511987650001' });
  const email = 'caio@example.com';
  const other = await aContact(scene.ctx, { name: 'Caio Lima', phone: null, email });
  const { admin, agent } = scene.people;
  const address = `${list()}/${id}/merge`;

  expect((await admin.get(`${list()}/${id}`)).text).toContain(`href="${address}"`);
  const found = await admin.send(address, 'find', { q: 'Caio' });
  const missing = await admin.send(address, 'merge', { q: '', contact_id: '' });
  const itself = await admin.send(address, 'merge', { q: '', contact_id: id });
  const merged = await admin.send(address, 'merge', { q: '', contact_id: other.id });

  expect(found.text).toContain(`value="${other.id}"`);
  expect(found.text).toContain('>Caio Lima, caio@example.com</label>');
  expect(found.text).not.toContain(`value="${id}"`);
  for (const refused of [missing, itself]) {
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('<a href="#f-contact_id">'.replace('_', '-'));
  }
  expect(itself.text).not.toContain(`value="${id}"`);
  expect([merged.status, merged.headers.get('location')]).toEqual([303, `${list()}/${id}`]);
  expect(await contact(id)).toMatchObject({ name: 'Caio', email: 'caio@example.com' });
  const former = await admin.get(`${list()}/${other.id}`);
  expect([former.status, former.headers.get('location')]).toEqual([303, `${list()}/${id}`]);
  expect((await agent.get(`${list()}/${id}`)).text).not.toContain('/merge"');
  expect((await agent.get(address)).status).toBe(403);
});

it('says that merging and deleting need somebody who sees all conversations of a contact', async () => {
  const { id } = await aContact(scene.ctx, { name: 'Gil' });
  const other = await aContact(scene.ctx, { name: 'Gil Reis' });
  const { id: numberId } = await aNumber(scene.ctx);
  await aConversation(scene.ctx, { numberId, contactId: other.id });
  const { id: memberId } = await aMember(scene.ctx, { role: 'admin', visibility: 'assigned' });
  const narrow = await scene.visitor(memberId);
  const _csrf = await narrow.csrf();
  const refused = (path: string, action: string) =>
    Promise.all(
      ['en', 'pt-BR'].map((language) =>
        narrow.post(
          `${list()}/${path}`,
          { _csrf, action, contact_id: other.id },
          { 'accept-language': language },
        ),
      ),
    );

  const merges = await refused(`${id}/merge`, 'merge');
  const deletions = await refused(other.id, 'delete');

  for (const replies of [merges, deletions]) {
    expect(replies.map(({ status }) => status)).toEqual([403, 403]);
    const [english, portuguese] = replies.map(({ text }) => text);
    expect(english).toContain('There are conversations with this person that you do not see.');
    expect(portuguese).toContain('Há conversas com esta pessoa que você não vê.');
  }
  for (const { text } of merges) expect(text).toMatch(RegExp(`${other.id}"[^>]* checked`));
});

it('Enter searches for what is new in the search box, and otherwise does what the form is for', async () => {
  const { id } = await aContact(scene.ctx, { name: 'Zoé' });
  const { admin } = scene.people;
  const path = `${list()}/${id}/merge`;
  /** What the button has that a browser presses on Enter: what was searched for before. */
  const entered = async (enter: string, q: string): Promise<number> =>
    (await admin.send(path, 'merge', { enter, q, contact_id: '' })).status;

  const found = 200;
  const merging = 422;
  expect(await entered('', 'Maria')).toBe(found);
  expect(await entered('Maria', 'Ana')).toBe(found);
  expect(await entered('Maria', 'Maria')).toBe(merging);
  expect(await entered('Maria', '')).toBe(merging);
});

it('says when a search found more people than it shows', async () => {
  const { id } = await aContact(scene.ctx, { name: 'Zélia' });
  for (let n = 0; n < 20; n += 1) await aContact(scene.ctx, { name: `Maria ${n}` });
  const search = async () =>
    (await scene.people.admin.send(`${list()}/${id}/merge`, 'find', { q: 'Maria' })).text;

  expect(await search()).not.toContain('More were found');
  await aContact(scene.ctx, { name: 'Maria das Dores' });
  expect(await search()).toContain('More were found than are shown here.');
});

it('keeps birth date and language, and leaves a year that nobody knows unknown', async () => {
  const { agent } = scene.people;
  const made = await agent.send(`${list()}/new`, 'create', {
    name: 'Dora',
    birth_date: '1990-04-12',
    language: 'pt-BR',
  });
  const address = made.headers.get('location') ?? '';
  const id = address.split('/').at(-1) ?? '';
  expect(await contact(id)).toMatchObject({ birth_date: '1990-04-12', language: 'pt-BR' });
  expect((await agent.get(address)).text).toContain('<dd>Apr 12, 1990</dd>');

  const shown = { shown_birth_date: '1990-04-12', shown_language: 'pt-BR' };
  const wrong = await agent.send(address, 'save', {
    ...shown,
    name: 'Dora',
    birth_date: '1890-01-01',
    language: 'português',
  });
  expect([wrong.status, wrong.text.includes('href="#f-language"')]).toEqual([422, true]);
  const early = await agent.send(address, 'save', { birth_date: '1890-01-01' });
  expect(early.text).toContain('href="#f-birth-date"');
  const cleared = { ...shown, name: 'Dora', birth_date: '', language: '' };
  expect((await agent.send(address, 'save', cleared)).status).toBe(303);
  expect(await contact(id)).toMatchObject({ birth_date: null, language: null });

  const yearless = { name: 'Eva', birth_date: '2000-04-12', birth_year_known: false };
  const { id: eva } = await aContact(scene.ctx, yearless);
  expect((await agent.get(`${list()}/${eva}`)).text).toContain('<dd>April 12</dd>');
  const moved = { shown_birth_date: '1904-04-12', birth_date: '1904-04-13' };
  expect((await agent.send(`${list()}/${eva}`, 'save', moved)).status).toBe(303);
  expect(await contact(eva)).toMatchObject({ birth_date: '1904-04-13', birth_year_known: false });
});

it('shows the conversation that a contact has with each number', async () => {
  const { id: contactId } = await aContact(scene.ctx, { name: 'Gil' });
  const talks: string[] = [];
  for (let n = 0; n < 11; n += 1) {
    const { id: numberId } = await aNumber(scene.ctx, { name: `Loja ${n}` });
    talks.push(await aConversation(scene.ctx, { numberId, contactId }));
  }

  const { text } = await scene.people.viewer.get(`${list()}/${contactId}`);

  for (const talk of talks) expect(text).toContain(`/inbox/${talk}#newest"`);
});
