import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Signature, system } from '../../src/access/actor.ts';
import type { MessageError } from '../../src/conversations/rules.ts';
import { transact } from '../../src/db/transact.ts';
import { newId } from '../../src/ids.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation } from '../support/factories/conversations.ts';
import { aFile, aPhoto } from '../support/factories/media.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aTemplate } from '../support/factories/templates.ts';
import { aMember } from '../support/members.ts';
import { rowsOf } from '../support/rows-of.ts';
import { aConsoleScene, type ConsoleScene } from './support/scene.ts';

let scene: ConsoleScene;
let numberId: string;

beforeAll(async () => {
  scene = await aConsoleScene();
  numberId = (await aNumber(scene.ctx, { name: 'Vendas' })).id;
});
afterAll(() => scene?.close());

interface Written {
  readonly type: string;
  readonly direction?: 'inbound' | 'outbound';
  readonly text?: string;
  readonly file?: string;
  readonly fileName?: string;
  readonly template?: string;
  readonly parameters?: readonly string[];
  readonly replyTo?: string;
  readonly author?: Signature;
  readonly reminder?: string;
  readonly error?: MessageError;
}

const aTalk = async (): Promise<string> => {
  const contact = await aContact(scene.ctx, { name: 'Bia' });
  return aConversation(scene.ctx, { numberId, contactId: contact.id });
};

/** Adds the message to the conversation: its id. */
async function written(conversationId: string, message: Written): Promise<string> {
  const { type, direction = 'inbound', text = '', file = null, fileName = '' } = message;
  const { replyTo = null, reminder = null, author, template, parameters = [], error } = message;
  const id = newId('msg');
  await transact(scene.ctx, async ({ sql, organizationId }) => {
    await sql.rows(
      `insert into messages (organization_id, id, conversation_id, number_id, direction, type, text, status, source,
         media_id, media_name, template, error, reply_to_id, author, reminder_id,
         created_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, 'api', $9, $10, $11, $12, $13, $14, $15, now())`,
      [
        ...[organizationId, id, conversationId, numberId, direction, type, text],
        ...[direction === 'inbound' ? 'received' : 'sent', file, fileName],
        template ? JSON.stringify({ name: template, language: 'pt_BR', parameters }) : null,
        error ? JSON.stringify(error) : null,
        replyTo,
        author ? JSON.stringify(author) : null,
        reminder,
      ],
    );
    await sql.rows('update media set conversation_id = $2 where id = $1', [file, conversationId]);
  });
  return id;
}

/** A conversation with this one message: its address. */
async function aTalkWith(message: Written): Promise<string> {
  const id = await aTalk();
  await written(id, message);
  return `${scene.base}/inbox/${id}`;
}

/** What the page says of one message, in plain words. */
async function bubbleOf(message: Written, language = 'en'): Promise<string> {
  const address = await aTalkWith(message);
  const page = await scene.people.agent.get(address, { 'accept-language': language });
  const [, bubble = ''] =
    /<li class="(?:theirs|ours)"><p[^>]*>.*?<\/p>(.*?)<\/li>/s.exec(page.text) ?? [];
  return bubble
    .replaceAll(/<p class="soft">sent<\/p>/g, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

it.each<[Written, string]>([
  [{ type: 'image' }, 'Picture'],
  [{ type: 'image', text: 'O bolo' }, 'Picture O bolo'],
  [{ type: 'audio' }, 'Audio'],
  [{ type: 'document', fileName: 'nota.pdf' }, 'Document: nota.pdf'],
  [{ type: 'sticker' }, 'Sticker'],
  [{ type: 'location', text: '-23.5,-46.6' }, 'Location -23.5,-46.6'],
  [{ type: 'contacts' }, 'Contact card'],
  [{ type: 'unsupported' }, 'A kind of message that cannot be shown here'],
  [{ type: 'unsupported', text: '2 x bolo-1' }, '2 x bolo-1'],
  [{ type: 'reaction', text: '❤️' }, 'Reaction ❤️'],
  [{ type: 'reaction' }, 'Reaction taken back'],
  [{ type: 'edit', text: 'Às dez' }, 'Edited Às dez'],
  [{ type: 'edit' }, 'Taken back'],
  [{ type: 'template', direction: 'outbound', template: 'retorno' }, 'Template: retorno'],
  [{ type: 'a_new_one' }, 'a_new_one'],
  [{ type: 'text', text: 'Oi' }, 'Oi'],
])('says what a message is that brings more or less than words: %o', async (message, said) => {
  expect(await bubbleOf(message)).toBe(said);
});

it.each([
  ['as the person reads them', 'pronto', 'Olá Ana, seu bolo de R$ 42 está pronto.'],
  ['as far as they were filled in, once the number lost it', 'antigo', 'Ana, bolo de R$ 42'],
])('shows the words of a template %s', async (_, template, words) => {
  const text = 'Olá {{1}}, seu {{2}} está pronto.';
  if (template === 'pronto') await aTemplate(scene.ctx, numberId, { name: template, text });
  const parameters = ['Ana', 'bolo de R$ 42'];

  const said = await bubbleOf({ type: 'template', direction: 'outbound', template, parameters });

  expect(said).toBe(`Template: ${template} ${words}`);
});

it('shows the words of a template as they were when it was sent', async () => {
  await aTemplate(scene.ctx, numberId, { name: 'mudado', text: 'Outras palavras, {{1}}.' });
  const kept = { template: 'mudado', parameters: ['Ana'], text: 'Olá Ana!' };

  const said = await bubbleOf({ type: 'template', direction: 'outbound', ...kept });

  expect(said).toBe('Template: mudado Olá Ana!');
});

it('says what a message is in Portuguese too', async () => {
  expect(await bubbleOf({ type: 'audio' }, 'pt-BR')).toBe('Áudio');
});

it('gives the files of a conversation to whoever sees it, to keep under their names', async () => {
  const bytes = aPhoto();
  const file = await aFile(scene.ctx, bytes, 'Orçamento março.jpg');
  const talk = await aTalkWith({ type: 'image', file });
  const { id: blindId } = await aMember(scene.ctx, { role: 'agent', visibility: 'assigned' });
  const blind = await scene.visitor(blindId);
  const { agent } = scene.people;
  const [, address = ''] = /href="([^"]+)">Picture</.exec((await agent.get(talk)).text) ?? [];

  const headers = { cookie: `wms_session=${agent.token}` };
  const got = await fetch(scene.api.url + address, { headers });

  expect([got.status, got.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
  expect(got.headers.get('content-disposition')).toBe(
    "attachment; filename*=UTF-8''Or%C3%A7amento%20mar%C3%A7o.jpg",
  );
  expect(got.headers.get('content-length')).toBe(String(bytes.length));
  expect(Buffer.from(await got.arrayBuffer()).equals(bytes)).toBe(true);
  expect((await blind.get(address)).status).toBe(404);
  await rowsOf(scene.ctx, `update media set state = 'coming' where id = $1`, [file]);
  expect((await agent.get(address)).status).toBe(409);
});

it.each([
  ['coming', 'Picture (still being fetched)'],
  ['lost', 'Picture (WhatsApp did not give the file)'],
])('leads to no file that is %s, and says why', async (state, said) => {
  const file = await aFile(scene.ctx);
  await rowsOf(scene.ctx, 'update media set state = $2 where id = $1', [file, state]);

  expect(await bubbleOf({ type: 'image', file })).toBe(said);
});

it('gives a file whose sender names a type that no header can hold', async () => {
  const file = await aFile(scene.ctx);
  await aTalkWith({ type: 'document', file });
  await rowsOf(scene.ctx, `update media set type = 'приложение/x' where id = $1`, [file]);

  const got = await scene.people.agent.get(`${scene.base}/media/${file}`);

  expect([got.status, got.headers.get('content-type')]).toEqual([200, 'application/octet-stream']);
});

it('quotes what is answered, reacted to or corrected, wherever in the conversation it stands', async () => {
  const offer = `Bolo de cenoura, 42 reais. ${'Com cobertura. '.repeat(10)}`;
  const id = await aTalk();
  const offered = await written(id, { type: 'text', direction: 'outbound', text: offer });
  const picture = await written(id, { type: 'image' });
  for (let i = 0; i < 50; i += 1) await written(id, { type: 'text', text: 'Hm' });
  const elsewhere = await written(await aTalk(), { type: 'text', text: 'Em segredo' });
  await written(id, { type: 'text', text: 'Este!', replyTo: offered });
  await written(id, { type: 'reaction', text: '❤️', replyTo: picture });
  await written(id, { type: 'text', text: 'E isto?', replyTo: elsewhere });

  const { text } = await scene.people.agent.get(`${scene.base}/inbox/${id}`);

  const quotes = [...text.matchAll(/<blockquote[^>]*>(.*?)<\/blockquote>/gs)];
  expect(quotes.map(([, words]) => words)).toEqual([
    `<strong>We:</strong> ${offer.slice(0, 80)}…`,
    '<strong>Bia:</strong> Picture',
  ]);
});

it('says “we” of what the service sent by itself, and leads from a reminder’s message to the reminder', async () => {
  const id = await aTalk();
  const ours = { type: 'text', direction: 'outbound', text: 'Oi' } as const;
  await written(id, { ...ours, author: system('WhatsApp') });
  await written(id, { ...ours, author: system('reminders'), reminder: 'rem_1' });

  const { text } = await scene.people.agent.get(`${scene.base}/inbox/${id}`);

  const [confirmation = '', reminder = ''] = text.match(/<li class="ours">.*?<\/p>/g) ?? [];
  expect(confirmation).toMatch(/<strong>We<\/strong> [^<]*<\/p>/);
  const link = `<a href="${scene.base}/reminders/rem_1">Reminder</a>`;
  expect(reminder).toMatch(/<strong>We<\/strong> [^<]* <a /);
  expect(reminder).toContain(link);
});

it('announces new messages, and leads from older ones back to them', async () => {
  const { agent } = scene.people;
  const talk = await aTalkWith({ type: 'text', text: 'Oi' });

  const newest = (await agent.get(talk)).text;
  const older = (await agent.get(`${talk}?after=${newId('msg')}`)).text;

  expect(newest).toContain('<div role="log" aria-relevant="additions" aria-label="Messages">');
  expect(newest).not.toContain('Newest messages');
  expect(older).toMatch(new RegExp(`href="${talk}#newest">Newest messages`));
});

it.each([
  ['opted_out', null, 'wants no more of these messages', 'não quer mais estas mensagens'],
  ['blocked', null, 'the contact is blocked', 'o contato está bloqueado'],
  [
    'no_phone',
    null,
    'the contact is gone, or has no phone',
    'não existe mais, ou não tem telefone',
  ],
  ['left_group', null, 'not in the group any more', 'não está mais no grupo'],
  ['no_recipient', 131050, 'wants no more of these messages', 'não quer mais estas mensagens'],
  ['no_recipient', 131041, 'not in the group any more', 'não está mais no grupo'],
  ['no_recipient', 131020, 'could not reach the person', 'não alcançou a pessoa'],
  ['a_new_one', null, 'WhatsApp could not reach', 'O WhatsApp não alcançou'],
])('says why nobody got a message: %s, %s', async (code, provider_code, english, portuguese) => {
  const error = { reason: 'no_recipient', code, provider_code, message: 'Words of the service' };
  const lost: Written = { type: 'text', direction: 'outbound', text: 'Oi', error };

  expect(await bubbleOf(lost)).toContain(english);
  expect(await bubbleOf(lost, 'pt-BR')).toContain(portuguese);
});
