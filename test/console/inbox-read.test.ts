import { expect, it } from '@jest/globals';
import { newId } from '../../src/ids.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation } from '../support/factories/conversations.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import { formIn } from './support/forms.ts';
import { aConsoleScene } from './support/scene.ts';

const scene = opened(() => aConsoleScene());

const rows = (text: string, params: unknown[]) => rowsOf(scene.ctx, text, params);

it('marks a conversation as read for those who may reply, whose person still waits', async () => {
  const { id: numberId } = await aNumber(scene.ctx);
  const { id: contactId } = await aContact(scene.ctx);
  const id = await aConversation(scene.ctx, { numberId, contactId });
  const address = `${scene.base}/inbox/${id}`;
  const { agent, viewer } = scene.people;
  const writes = async (text: string): Promise<string> => {
    const message = newId('msg');
    await rows(
      `insert into messages (organization_id, id, conversation_id, number_id, contact_id, direction, type, text, status, source, created_at)
       values ($1, $2, $3, $4, $5, 'inbound', 'text', $6, 'received', 'contact', now())`,
      [scene.ctx.organizationId, message, id, numberId, contactId, text],
    );
    return message;
  };
  await writes('Oi');
  const through = await writes('Tem bolo?');
  await rows('update conversations set unread = 2, waiting_since = now() where id = $1', [id]);
  expect((await viewer.get(address)).text).not.toContain('Mark as read');
  const shown = (await agent.get(address)).text;
  expect(shown).toMatch(/2 unread<.*>Mark as read</s);
  expect(shown).toContain(`name="through" value="${through}"`);

  const done = await agent.send(address, 'read', { through });
  const again = await agent.send(address, 'read', { through });

  expect([done.status, again.status]).toEqual([303, 303]);
  const [row] = await rows(
    'select unread, waiting_since is not null as waits from conversations where id = $1',
    [id],
  );
  expect(row).toEqual({ unread: 0, waits: true });
  expect((await agent.get(address)).text).not.toContain('Mark as read');
  const entries = await rows(
    `select changes from audit_entries where action = 'conversation.read' and target ->> 'id' = $1`,
    [id],
  );
  expect(entries).toEqual([{ changes: [{ field: 'unread', from: 2, to: 0 }] }]);

  await writes('E pão?');
  await rows('update conversations set unread = 1 where id = $1', [id]);
  await agent.send(address, 'read', { through });
  expect((await agent.get(address)).text).toContain('1 unread');
});

it('answers a part of a page with that part, in its language, and leaves nothing for the next page', async () => {
  const { id: numberId } = await aNumber(scene.ctx);
  const { id: contactId } = await aContact(scene.ctx);
  const id = await aConversation(scene.ctx, { numberId, contactId });
  const address = `${scene.base}/inbox/${id}`;
  const { agent } = scene.people;
  await rows('update conversations set unread = 2 where id = $1', [id]);
  const pt = { 'accept-language': 'pt-BR', 'hx-request': 'true' };
  const shown = (await agent.get(address, pt)).text;
  expect(shown).toContain(`hx-post="${address}?seen=open"`);
  await agent.send(address, 'close');
  const form = formIn(shown, 'read');

  const { status, headers, text } = await agent.post(`${address}?seen=open`, form, pt);

  expect([status, headers.get('hx-refresh')]).toEqual([200, null]);
  expect(text).toMatch(/ id="newest"[^>]* autofocus><p[^>]*>A conversa está marcada como lida/);
  expect(text).toContain('Alguém encerrou a conversa enquanto isso.');
  expect(text).toContain(`hx-get="${address}?seen=open"`);
  expect((await agent.get(address, pt)).text).not.toContain('está marcada como lida');
});

it('never loads a page anew that shows a refused form, however often it refreshes itself', async () => {
  const { id: numberId } = await aNumber(scene.ctx);
  const { id: contactId } = await aContact(scene.ctx);
  const id = await aConversation(scene.ctx, { numberId, contactId });
  const { agent } = scene.people;
  const address = `${scene.base}/inbox/${id}`;
  const refreshOf = (text: string) => / hx-get="([^"]+)"/.exec(text)?.[1] ?? '';

  let { text } = await agent.send(address, 'reply', { text: '', client_ref: 'x' });
  expect(text).toContain('Write a message');
  for (const act of ['close', 'reopen', 'close']) {
    await scene.people.admin.send(address, act);
    const part = await agent.get(refreshOf(text), { 'hx-request': 'true' });
    expect(part.headers.get('hx-refresh')).toBe(null);
    text = part.text;
  }
});
