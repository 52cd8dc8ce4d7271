import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { updateContact } from '../../src/contacts/service.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation } from '../support/factories/conversations.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aTemplate } from '../support/factories/templates.ts';
import { aMember } from '../support/members.ts';
import { rowsOf } from '../support/rows-of.ts';
import { formIn } from './support/forms.ts';
import { aConsoleScene, type ConsoleScene } from './support/scene.ts';

let scene: ConsoleScene;
let numberId: string;
beforeAll(async () => {
  scene = await aConsoleScene();
  numberId = (await aNumber(scene.ctx, { name: 'Oficial', window: true })).id;
  await aTemplate(scene.ctx, numberId);
  await aTemplate(scene.ctx, numberId, { language: 'en_US', text: 'Hello {{name}}!' });
});
afterAll(() => scene?.close());

const messagesTo = (contactId: string) =>
  rowsOf<{ number_id: string; template: unknown }>(
    scene.ctx,
    'select number_id, template from messages where contact_id = $1 order by id',
    [contactId],
  );

const linksIn = (text: string): string[] =>
  [...text.matchAll(/href="([^"]*\/template\?[^"]*)"/g)].map(([, href = '']) =>
    href.replaceAll('&amp;', '&'),
  );

it('is chosen with its parameters for a contact who never wrote, and goes out once', async () => {
  const { agent, viewer } = scene.people;
  const { id } = await aContact(scene.ctx, { name: 'Nina', phone: '+5511987650101' });
  const address = `${scene.base}/contacts/${id}/template`;
  expect((await agent.get(`${scene.base}/contacts/${id}`)).text).toContain(`href="${address}"`);

  const list = await agent.get(address);
  const [english = '', portuguese = ''] = linksIn(list.text);
  const page = await agent.get(portuguese);
  const form = formIn(page.text, 'send');
  const filled = { ...form, parameters: ['Nina', '42'] };
  const sent = await agent.post(address, filled);
  const again = await agent.post(address, filled);

  expect(list.text).toContain('Olá {{1}}, seu pedido {{2}} está pronto.');
  expect(page.text).toContain('What stands for {{2}}');
  expect((await agent.get(english)).text).toContain('What stands for {{name}}');
  expect([sent.status, again.status]).toEqual([303, 303]);
  expect(sent.headers.get('location')).toMatch(/\/inbox\/cnv_\w+#newest$/);
  expect(await messagesTo(id)).toEqual([
    {
      number_id: numberId,
      template: { name: 'pedido_pronto', language: 'pt_BR', parameters: ['Nina', '42'] },
    },
  ]);
  expect((await viewer.get(address)).status).toBe(403);
});

it('is offered in a conversation whose 24 hours are over, and not while words can be written', async () => {
  const { agent } = scene.people;
  const { id: contactId } = await aContact(scene.ctx, { name: 'Caio', phone: '+5511987650102' });
  const talk = await aConversation(scene.ctx, { numberId, contactId });
  const thread = `${scene.base}/inbox/${talk}`;
  expect((await agent.get(thread)).text).toContain(`href="${thread}/template"`);

  const [english = ''] = linksIn((await agent.get(`${thread}/template`)).text);
  const form = formIn((await agent.get(english)).text, 'send');
  const sent = await agent.post(`${thread}/template`, { ...form, parameters: 'Caio' });

  expect(sent.headers.get('location')).toBe(`${thread}#newest`);
  expect(await messagesTo(contactId)).toMatchObject([{ template: { parameters: ['Caio'] } }]);
  expect((await agent.get(thread)).text).toContain('Template: pedido_pronto');
  await rowsOf(
    scene.ctx,
    "update conversations set window_expires_at = now() + interval '9 hours' where id = $1",
    [talk],
  );
  expect((await agent.get(thread)).text).not.toContain(`${thread}/template`);
});

it.each(['assigned', 'teams'] as const)(
  'is offered in their own conversation to who sees %s, whatever team the number has',
  async (visibility) => {
    const { id: contactId } = await aContact(scene.ctx, { name: 'Caio' });
    const talk = await aConversation(scene.ctx, { numberId, contactId });
    const { id } = await aMember(scene.ctx, { role: 'agent', visibility, teams: ['Outra'] });
    await rowsOf(scene.ctx, 'update conversations set assigned_member_id = $2 where id = $1', [
      talk,
      id,
    ]);
    const thread = `${scene.base}/inbox/${talk}`;
    const visitor = await scene.visitor(id);

    expect((await visitor.get(thread)).text).toContain(`href="${thread}/template"`);
    expect(linksIn((await visitor.get(`${thread}/template`)).text)).not.toEqual([]);
  },
);

it('is not offered for who is blocked or has no phone, and a reply to them is refused where it is written', async () => {
  const { agent } = scene.people;
  const { id: blocked } = await aContact(scene.ctx, { name: 'Davi', phone: '+5511987650105' });
  const { id: noPhone } = await aContact(scene.ctx, { phone: null, email: 'eva@example.com' });
  await updateContact(scene.ctx, blocked, { blocked: true });
  const said = { 'accept-language': 'pt-BR' };
  for (const [contactId, why] of [
    [blocked, 'Este contato está bloqueado.'],
    [noPhone, 'O contato não tem telefone no WhatsApp.'],
  ] as const) {
    const talk = await aConversation(scene.ctx, { numberId, contactId });
    const thread = `${scene.base}/inbox/${talk}`;
    expect((await agent.get(thread)).text).not.toContain(`${thread}/template`);

    const reply = { _csrf: await agent.csrf(), action: 'reply', client_ref: talk, text: 'Oi!' };
    const refused = await agent.post(thread, reply, said);
    expect(refused.status).toBe(422);
    expect(refused.text).toContain(`<a href="#f-text">`);
    expect(refused.text).toMatch(new RegExp(`id="f-text-error">${why}`));
  }
});

it('is shown again as it was filled in, with what WhatsApp would refuse at its parameter', async () => {
  const { agent } = scene.people;
  const { id } = await aContact(scene.ctx, { name: 'Olga', phone: '+5511987650103' });
  const address = `${scene.base}/contacts/${id}/template`;
  const [, portuguese = ''] = linksIn((await agent.get(address)).text);
  const form = formIn((await agent.get(portuguese)).text, 'send');
  const wrong = await agent.post(address, { ...form, parameters: ['Olga', 'a     b'] });
  await updateContact(scene.ctx, id, { blocked: true });
  const blocked = await agent.post(address, { ...form, parameters: ['Olga', '7'] });
  const gone = await agent.post(address, { ...form, name: 'outro', parameters: ['Olga', '7'] });

  expect([wrong.status, blocked.status, gone.status]).toEqual([422, 422, 422]);
  expect(wrong.text).toContain('id="f-parameters-1-error">Must have no line break');
  expect(formIn(blocked.text, 'send')['parameters']).toEqual(['Olga', '7']);
  expect(blocked.text).toContain('The contact is blocked.');
  expect(linksIn(gone.text)).toHaveLength(2);
  expect(await messagesTo(id)).toEqual([]);
});

it('is listed page by page, by the number that it is of', async () => {
  const { agent } = scene.people;
  const { id } = await aContact(scene.ctx, { name: 'Rita', phone: '+5511987650104' });
  const { id: other } = await aNumber(scene.ctx, { name: 'Outro' });
  for (let n = 10; n < 61; n += 1) await aTemplate(scene.ctx, other, { name: `aviso_${n}` });
  const address = `${scene.base}/contacts/${id}/template`;

  const first = await agent.get(`${address}?number_id=${other}`);
  const next = /href="([^"]*after=[^"]*)"/.exec(first.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
  const second = await agent.get(next);

  expect(linksIn(first.text).filter((link) => link.includes('name='))).toHaveLength(50);
  expect(linksIn(second.text).filter((link) => link.includes('name='))).toEqual([
    expect.stringContaining('aviso_60'),
  ]);
  // The form of a number that can no longer send is not that of another one.
  const unknown = new URLSearchParams({ number_id: 'num_x', name: 'aviso_10', language: 'pt_BR' });
  expect((await agent.get(`${address}?${unknown}`)).text).not.toContain('value="send"');
});
