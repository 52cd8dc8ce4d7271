import { expect, it } from '@jest/globals';
import { updateContact } from '../../src/contacts/service.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation } from '../support/factories/conversations.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import { formIn } from './support/forms.ts';
import { aConsoleScene } from './support/scene.ts';

const scene = opened(() => aConsoleScene());

const pageOf = (id: string): string => `${scene.base}/contacts/${id}`;
const refOf = (text: string): string => /name="client_ref" value="([^"]+)"/.exec(text)?.[1] ?? '';

const messagesTo = (contactId: string) =>
  rowsOf<{ text: string; number_id: string }>(
    scene.ctx,
    'select text, number_id from messages where contact_id = $1 order by id',
    [contactId],
  );

it('writes to a contact who never wrote, once, and leads to the conversation', async () => {
  const { agent, viewer } = scene.people;
  const { id } = await aContact(scene.ctx, { name: 'Nina', phone: '+5511987651234' });
  expect((await agent.get(pageOf(id))).text).not.toContain('Write a message');

  const number = await aNumber(scene.ctx, { name: 'Vendas' });
  const { text } = await agent.get(pageOf(id));
  const fields = { number_id: number.id, text: 'Olá, Nina!', client_ref: refOf(text) };
  const sent = await agent.send(pageOf(id), 'write', fields);
  await agent.send(pageOf(id), 'write', fields);

  const [, conversation = ''] =
    /(\/inbox\/cnv_\w+)#newest$/.exec(sent.headers.get('location') ?? '') ?? [];
  expect([sent.status, conversation]).toEqual([303, expect.stringContaining('/inbox/cnv_')]);
  expect((await agent.get(scene.base + conversation)).text).toContain('Olá, Nina!');
  expect(await messagesTo(id)).toEqual([{ text: 'Olá, Nina!', number_id: number.id }]);
  expect((await viewer.get(pageOf(id))).text).not.toContain('Write a message');
  expect((await viewer.send(pageOf(id), 'write', fields)).status).toBe(403);
});

it('asks before it sends another text, or from another number, with a form that was sent already', async () => {
  const { agent } = scene.people;
  const { id } = await aContact(scene.ctx, { name: 'Rita', phone: '+5511987651237' });
  const one = await aNumber(scene.ctx, { name: 'Um' });
  const other = await aNumber(scene.ctx, { name: 'Outro' });
  const shown = { ...formIn((await agent.get(pageOf(id))).text, 'write'), number_id: one.id };
  await agent.post(pageOf(id), { ...shown, text: 'Bom dia' });

  const asked = await agent.post(pageOf(id), { ...shown, text: 'Boa tarde' });
  expect(asked.status).toBe(409);
  const form = formIn(asked.text, 'write');
  const sent = await agent.post(pageOf(id), form);
  const again = await agent.post(pageOf(id), { ...form, number_id: other.id });

  expect([sent.status, again.status]).toEqual([303, 409]);
  expect(form).toMatchObject({ text: 'Boa tarde', number_id: one.id });
  expect(await messagesTo(id)).toEqual([
    { text: 'Bom dia', number_id: one.id },
    { text: 'Boa tarde', number_id: one.id },
  ]);
});

it('chooses among the numbers that send, and says at the text that the window is closed', async () => {
  const { agent } = scene.people;
  const { id } = await aContact(scene.ctx, { name: 'Olga', phone: '+5511987651235' });
  const strict = await aNumber(scene.ctx, { name: 'Oficial', window: true });
  const down = await aNumber(scene.ctx, { name: 'Parado' });
  await rowsOf(scene.ctx, "update numbers set status = 'disconnected' where id = $1", [down.id]);

  const { text } = await agent.get(pageOf(id));
  const written = { number_id: strict.id, text: 'Bom dia', client_ref: refOf(text) };
  const refused = await agent.send(pageOf(id), 'write', written);

  expect(text).toContain(`<option value="${strict.id}"`);
  expect(text).not.toContain(down.id);
  expect(refused.status).toBe(422);
  expect(refused.text).toContain('<a href="#f-text">Message: The 24-hour window is closed');
  expect(refused.text).toContain(`<option value="${strict.id}" selected>`);
  expect(refused.text).toMatch(/<textarea id="f-text"[^>]*>\nBom dia/);
  expect(await messagesTo(id)).toEqual([]);
});

it('begins with the number by which the person was last talked to, of those that send, not with the newest', async () => {
  const { agent } = scene.people;
  const { id: contactId } = await aContact(scene.ctx, { name: 'Camila' });
  const known = await aNumber(scene.ctx, { name: 'Recepção', window: true });
  await aConversation(scene.ctx, { numberId: known.id, contactId });
  const away = await aNumber(scene.ctx, { name: 'Festas', window: true });
  await aConversation(scene.ctx, { numberId: away.id, contactId });
  await rowsOf(scene.ctx, "update numbers set status = 'disconnected' where id = $1", [away.id]);
  await aNumber(scene.ctx, { name: 'Entregas', window: true });

  const words = formIn((await agent.get(pageOf(contactId))).text, 'write');
  const template = await agent.get(`${pageOf(contactId)}/template`);

  expect(words['number_id']).toBe(known.id);
  expect(template.text).toMatch(/aria-current[^>]*>Recepção</);
});

it('asks before a reply is sent that was corrected after the form had been sent already', async () => {
  const { agent } = scene.people;
  const { id: contactId } = await aContact(scene.ctx, { name: 'Bia' });
  const { id: numberId } = await aNumber(scene.ctx, { name: 'Caixa' });
  const talk = await aConversation(scene.ctx, { numberId, contactId });
  const address = `${scene.base}/inbox/${talk}`;
  const shown = formIn((await agent.get(address)).text, 'reply');
  await agent.post(address, { ...shown, text: 'Sim, às nove.' });

  const asked = await agent.post(address, { ...shown, text: 'Sim, às dez.' });
  expect(asked.status).toBe(409);
  expect(asked.text).toContain(
    '<a href="#f-text">Reply to Bia: What stood here before was sent already.',
  );
  const form = formIn(asked.text, 'reply');
  expect(form['text']).toBe('Sim, às dez.');

  expect((await agent.post(address, form)).status).toBe(303);
  const texts = (await messagesTo(contactId)).map(({ text }) => text);
  expect(texts).toEqual(['Sim, às nove.', 'Sim, às dez.']);
});

it('offers nothing for somebody whom no message reaches', async () => {
  const { owner } = scene.people;
  const without = await aContact(scene.ctx, { name: 'Sem telefone', phone: null });
  const blocked = await aContact(scene.ctx, { name: 'Ruim', phone: '+5511987651236' });
  await updateContact(scene.ctx, blocked.id, { blocked: true });

  for (const { id } of [without, blocked])
    expect((await owner.get(pageOf(id))).text).not.toContain('Write a message');
});

it('keeps what was written to somebody who was blocked meanwhile', async () => {
  const { agent } = scene.people;
  const { id } = await aContact(scene.ctx, { name: 'Vera', phone: '+5511987651238' });
  const form = formIn((await agent.get(pageOf(id))).text, 'write');
  await updateContact(scene.ctx, id, { blocked: true });

  const refused = await agent.post(pageOf(id), { ...form, text: 'Boa noite' });

  expect(refused.status).toBe(422);
  expect(refused.text).toContain('<a href="#f-text">Message: The contact is blocked.');
  expect(formIn(refused.text, 'write')['text']).toBe('Boa noite');
});
