import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { updateContact } from '../../src/contacts/service.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aConsoleScene, type ConsoleScene } from './support/scene.ts';

let scene: ConsoleScene;
beforeAll(async () => {
  scene = await aConsoleScene();
});
afterAll(() => scene?.close());

const pageOf = (id: string): string => `${scene.base}/contacts/${id}`;
const refOf = (text: string): string => /name="client_ref" value="([^"]+)"/.exec(text)?.[1] ?? '';

const messagesTo = (contactId: string) =>
  inWorkspace(scene.database, scene.ctx.organizationId, (sql) =>
    sql.rows<{ text: string; number_id: string }>(
      'select text, number_id from messages where contact_id = $1 order by id',
      [contactId],
    ),
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
    /(\/inbox\/cnv_\w+)$/.exec(sent.headers.get('location') ?? '') ?? [];
  expect([sent.status, conversation]).toEqual([303, expect.stringContaining('/inbox/cnv_')]);
  expect((await agent.get(scene.base + conversation)).text).toContain('Olá, Nina!');
  expect(await messagesTo(id)).toEqual([{ text: 'Olá, Nina!', number_id: number.id }]);
  expect((await viewer.get(pageOf(id))).text).not.toContain('Write a message');
  expect((await viewer.send(pageOf(id), 'write', fields)).status).toBe(403);
});

it('chooses among the numbers that send, and says at the text that the window is closed', async () => {
  const { agent } = scene.people;
  const { id } = await aContact(scene.ctx, { name: 'Olga', phone: '+5511987651235' });
  const strict = await aNumber(scene.ctx, { name: 'Oficial', window: true });
  const down = await aNumber(scene.ctx, { name: 'Parado' });
  await inWorkspace(scene.database, scene.ctx.organizationId, (sql) =>
    sql.rows("update numbers set status = 'disconnected' where id = $1", [down.id]),
  );

  const { text } = await agent.get(pageOf(id));
  const written = { number_id: strict.id, text: 'Bom dia', client_ref: refOf(text) };
  const refused = await agent.send(pageOf(id), 'write', written);

  expect(text).toContain(`<option value="${strict.id}"`);
  expect(text).not.toContain(down.id);
  expect(refused.status).toBe(422);
  expect(refused.text).toContain('<a href="#f-text">The 24-hour window is closed');
  expect(refused.text).toContain(`<option value="${strict.id}" selected>`);
  expect(refused.text).toMatch(/<textarea id="f-text"[^>]*>\nBom dia/);
  expect(await messagesTo(id)).toEqual([]);
});

it('offers nothing for somebody whom no message reaches', async () => {
  const { owner } = scene.people;
  const without = await aContact(scene.ctx, { name: 'Sem telefone', phone: null });
  const blocked = await aContact(scene.ctx, { name: 'Ruim', phone: '+5511987651236' });
  await updateContact(scene.ctx, blocked.id, { blocked: true });

  for (const { id } of [without, blocked])
    expect((await owner.get(pageOf(id))).text).not.toContain('Write a message');
});
