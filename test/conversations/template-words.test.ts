import { beforeAll, expect, it } from '@jest/globals';
import { conversationRoutes } from '../../src/conversations/routes.ts';
import { openApi } from '../support/api.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation } from '../support/factories/conversations.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aTemplate } from '../support/factories/templates.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';

const door = opened(() => openApi({ routes: conversationRoutes }));
let numberId: string;
let talk: string;

beforeAll(async () => {
  numberId = (await aNumber(door.ctx)).id;
  const { id: contactId } = await aContact(door.ctx);
  talk = await aConversation(door.ctx, { numberId, contactId });
});

const send = async (name: string, parameters: string[], language = 'pt_BR'): Promise<string> => {
  const template = { name, language, parameters };
  const { status, body } = await door.call('POST', `/conversations/${talk}/messages`, { template });
  expect(status).toBe(201);
  return body.text;
};

it('a template says what the person reads, also after it was changed and deleted at WhatsApp', async () => {
  await aTemplate(door.ctx, numberId, { name: 'pronto', text: 'Olá {{1}}, já pode buscar.' });

  const said = await send('pronto', ['Ana']);
  await rowsOf(
    door.ctx,
    `update templates set components = '[{"type": "BODY", "text": "Oi {{1}}!"}]'`,
  );
  const later = await send('pronto', ['Bia']);
  await rowsOf(door.ctx, 'delete from templates');
  const listed = await door.call('GET', `/conversations/${talk}/messages`);

  expect([said, later]).toEqual(['Olá Ana, já pode buscar.', 'Oi Bia!']);
  expect(listed.body.data.map(({ text }: { text: string }) => text)).toEqual([later, said]);
});

it('a template says what it says in its language', async () => {
  await aTemplate(door.ctx, numberId, { name: 'aviso', text: 'Olá {{1}}!' });
  await aTemplate(door.ctx, numberId, { name: 'aviso', language: 'en_US', text: 'Hello {{1}}!' });

  expect(await send('aviso', ['Ana'])).toBe('Olá Ana!');
  expect(await send('aviso', ['Ana'], 'en_US')).toBe('Hello Ana!');
});

it('a template whose words we do not know says nothing', async () => {
  await rowsOf(door.ctx, 'delete from template_syncs');

  expect(await send('desconhecido', ['Ana'])).toBe('');
});

it('a template is kept cut to what any text has at most', async () => {
  await aTemplate(door.ctx, numberId, { name: 'longo', text: '{{1}}{{2}}{{3}}{{4}}{{5}}' });

  expect(await send('longo', Array(5).fill('a'.repeat(1_000)))).toBe('a'.repeat(4_096));
});
