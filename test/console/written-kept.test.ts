import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { mergeContacts } from '../../src/contacts/merging/merging.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation } from '../support/factories/conversations.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { rowsOf } from '../support/rows-of.ts';
import { filledIn, formIn } from './support/forms.ts';
import { aConsoleScene, type ConsoleScene, type Fields } from './support/scene.ts';

const NOTES = 'Prefere o bolo <de cenoura>\nsem cobertura';

let scene: ConsoleScene;
let numberId: string;
beforeAll(async () => {
  scene = await aConsoleScene();
  numberId = (await aNumber(scene.ctx)).id;
});
afterAll(() => scene?.close());

async function asOwner(text: string): Promise<void> {
  const owner = new pg.Client({ connectionString: scene.databaseUrl });
  await owner.connect();
  await owner.query(text);
  await owner.end();
}

/** As the database answers a statement that waited too long for a lock. */
const refuse = (what: string): Promise<void> =>
  asOwner(`
    create or replace function refuse() returns trigger language plpgsql as $$ begin
      raise exception 'it waited too long' using errcode = '55P03'; end $$;
    create trigger refused before ${what} for each row execute function refuse()`);
const free = (table: string): Promise<void> => asOwner(`drop trigger refused on ${table}`);

const addressOf = (id: string) => `${scene.base}/contacts/${id}`;
const notesOf = async (id: string) =>
  (await rowsOf<{ notes: string }>(scene.ctx, 'select notes from contacts where id = $1', [id]))[0]
    ?.notes;

describe('a form that meets a busy database', () => {
  it.each([
    ['en', 'It may have been done all the same.', 'This could not be done'],
    ['pt-BR', 'pode ter sido feito mesmo assim', 'Não foi possível'],
  ])(
    'says so in %s beside what was written, which counts when it is sent again',
    async (...said) => {
      const [language, sentence, title] = said;
      const { owner } = scene.people;
      const { id } = await aContact(scene.ctx, { name: 'Ana' });
      const shown = formIn((await owner.get(addressOf(id))).text, 'save');
      await refuse('update on contacts');
      const inLanguage = { 'accept-language': language };

      const busy = await owner.post(addressOf(id), { ...shown, notes: NOTES }, inLanguage);
      await free('contacts');
      const again = await owner.post(addressOf(id), formIn(busy.text, 'save'), inLanguage);

      expect([busy.status, busy.headers.get('retry-after')]).toEqual([503, '1']);
      expect(busy.headers.get('referrer-policy')).toBe('same-origin');
      expect(busy.text).toContain(sentence);
      expect(busy.text).toContain(`<h2>${title}</h2>`);
      expect(again.status).toBe(303);
      expect(await notesOf(id)).toBe(NOTES);
    },
  );
});

it('is the same form still, so that it is not done twice if it was done', async () => {
  const { owner } = scene.people;
  const path = `${scene.base}/pipelines/new`;
  const wish = { name: 'Encomendas', open: 'Pedido' };
  const form = { ...formIn((await owner.get(path)).text, 'create'), ...wish };
  await refuse('insert on pipelines');

  const busy = await owner.post(path, form);
  await free('pipelines');
  const done = await owner.post(path, form);
  const again = await owner.post(path, formIn(busy.text, 'create'));

  expect([busy, done, again].map(({ status }) => status)).toEqual([503, 303, 303]);
  expect(again.headers.get('location')).toBe(done.headers.get('location'));
  expect(await rowsOf(scene.ctx, 'select name from pipelines')).toEqual([{ name: wish.name }]);
});

it('is the same message still, so that nobody gets it twice if it went out', async () => {
  const { agent } = scene.people;
  const { id: contactId } = await aContact(scene.ctx, { name: 'Davi' });
  const talk = await aConversation(scene.ctx, { numberId, contactId });
  const path = `${scene.base}/inbox/${talk}`;
  const form = { ...formIn((await agent.get(path)).text, 'reply'), text: 'Está pronto' };
  await refuse('insert on messages');

  const busy = await agent.post(path, form);
  await free('messages');
  const done = await agent.post(path, form);
  const again = await agent.post(path, formIn(busy.text, 'reply'));

  expect([busy, done, again].map(({ status }) => status)).toEqual([503, 303, 303]);
  const messages = await rowsOf(scene.ctx, 'select text from messages where conversation_id = $1', [
    talk,
  ]);
  expect(messages).toEqual([{ text: 'Está pronto' }]);
});

describe('what was written while contacts were merged', () => {
  it('stands on the page of the one that is left, and counts there when it is sent again', async () => {
    const { admin } = scene.people;
    const { id } = await aContact(scene.ctx, { name: 'Bia', phone: '+5511987650001' });
    const other = await aContact(scene.ctx, { name: 'Bia Lima', phone: null });
    const path = addressOf(other.id);
    const shown = formIn((await admin.get(path)).text, 'save');
    await mergeContacts(scene.ctx, id, other.id);

    const told = await admin.post(path, { ...shown, notes: NOTES });

    expect(told.status).toBe(409);
    expect(told.text).toContain('was merged into the one that is shown here');
    expect(await notesOf(id)).toBe('');
    expect(told.text).toContain(`<form method="post" action="${addressOf(id)}">`);
    expect(told.text).not.toContain(other.id);
    expect((await admin.post(addressOf(id), formIn(told.text, 'save'))).status).toBe(303);
    expect(await notesOf(id)).toBe(NOTES);
  });

  it('is refused where the form names the one that is gone', async () => {
    const { admin } = scene.people;
    const { id } = await aContact(scene.ctx);
    const into = await aContact(scene.ctx);
    const gone = await aContact(scene.ctx);
    await mergeContacts(scene.ctx, into.id, gone.id);

    const refused = await admin.send(`${addressOf(id)}/merge`, 'merge', { contact_id: gone.id });

    expect(refused.status).toBe(422);
    expect(refused.text).toContain('<a href="#f-contact-id">');
  });

  it.each([
    ['en', 'What you wrote'],
    ['pt-BR', 'O que você escreveu'],
  ])('in a conversation that is gone is shown in %s to be copied', async (language, title) => {
    const { admin } = scene.people;
    const { id } = await aContact(scene.ctx);
    const other = await aContact(scene.ctx);
    await aConversation(scene.ctx, { numberId, contactId: id });
    const gone = await aConversation(scene.ctx, { numberId, contactId: other.id });
    const path = `${scene.base}/inbox/${gone}`;
    const shown = formIn((await admin.get(path)).text, 'reply');
    await mergeContacts(scene.ctx, id, other.id);

    const inLanguage = { 'accept-language': language };
    const told = await admin.post(path, { ...shown, text: NOTES }, inLanguage);

    expect(told.status).toBe(404);
    const written = /<h2>([^<]+)<\/h2>[\s\S]*?<dl[^>]*>([\s\S]*?)<\/dl>/.exec(told.text);
    expect(written?.[1]).toBe(title);
    expect(written?.[2]).toContain('bolo &lt;de cenoura&gt;\nsem cobertura');
    for (const own of ['_csrf', '_showing', 'action', 'client_ref'])
      expect(told.text).not.toContain(`${shown[own]}`);
    expect((await admin.get(path)).text).not.toContain(title);
  });
});

it('shows what was written to whoever may not do it any more', async () => {
  const { viewer, owner } = scene.people;
  const path = addressOf((await aContact(scene.ctx)).id);
  const shown = filledIn((await owner.get(path)).text, 'save');
  const form = { ...shown, notes: NOTES, owner_id: owner.memberId };

  const refused = await viewer.send(path, 'save', form);

  expect(refused.status).toBe(403);
  expect(refused.text).toContain('sem cobertura');
  // Nobody wrote that.
  expect(refused.text).not.toContain(owner.memberId);
});

it('is kept by the browser for its way back, and by no cache on the way', async () => {
  const { owner } = scene.people;
  const path = `${scene.base}/pipelines/new`;

  const refused = await owner.send(path, 'create', { name: 'Encomendas', open: '' });

  expect([refused.status, refused.headers.get('cache-control')]).toEqual([
    422,
    'private, no-cache',
  ]);
  expect((await owner.get(path)).headers.get('cache-control')).toBe('no-store');
});

it('closes nothing under a reply that is not sent yet, which stays', async () => {
  const { id: contactId } = await aContact(scene.ctx, { name: 'Caio' });
  const { agent, viewer } = scene.people;
  const address = `${scene.base}/inbox/${await aConversation(scene.ctx, { numberId, contactId })}`;
  const shown = formIn((await agent.get(address)).text, 'reply');
  const close = (more: Fields, language = 'en') =>
    agent.post(
      address,
      { ...shown, ...more, action: ['reply', 'close'] },
      { 'accept-language': language },
    );

  const text = await close({ text: 'Já vejo' });
  const file = await close({ file: 'cardapio.pdf' }, 'pt-BR');

  expect([text.status, file.status]).toEqual([422, 422]);
  expect(filledIn(text.text, 'reply')).toMatchObject({ text: 'Já vejo' });
  expect(text.text).toContain('id="f-text-error">Send this first, or take it out.');
  expect(file.text).toContain('id="f-file-error">Envie isto antes, ou apague.');
  expect((await viewer.get(address)).text).toContain('>open<');
  expect((await close({})).status).toBe(303);
  expect((await viewer.get(address)).text).toContain('>closed<');
});
