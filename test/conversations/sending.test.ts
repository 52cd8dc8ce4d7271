import { beforeAll, describe, expect, it } from '@jest/globals';
import { conversationRoutes } from '../../src/conversations/routes.ts';
import { openApi } from '../support/api.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation } from '../support/factories/conversations.ts';
import { aNumber } from '../support/factories/numbers.ts';
import type { Reply } from '../support/http.ts';
import { aMember } from '../support/members.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';

const door = opened(() => openApi({ routes: conversationRoutes }));
let numberId: string;

beforeAll(async () => {
  numberId = (await aNumber(door.ctx)).id;
});

const rows = <R>(sql: string, params: unknown[] = []) => rowsOf<R>(door.ctx, sql, params);

const post = (path: string, body: unknown, as = door.key): Promise<Reply> =>
  door.api.call('POST', `/api/v1${path}`, { key: as, body });

async function aTalk(wishes: { window?: boolean } = {}) {
  const number = wishes.window ? (await aNumber(door.ctx, { window: true })).id : numberId;
  const contactId = (await aContact(door.ctx)).id;
  return { contactId, number, id: await aConversation(door.ctx, { numberId: number, contactId }) };
}

const outcome = ({ status, body }: Reply): string => `${status} ${body.error?.code ?? body.status}`;
const problem = ({ body }: Reply): string =>
  `${body.error?.details?.[0]?.path} ${body.error?.details?.[0]?.rule}`;

describe('sending a message in a conversation', () => {
  it('answers the queued message, and nobody waits for an answer any more', async () => {
    const { id } = await aTalk();
    await rows('update conversations set waiting_since = now(), unread = 3 where id = $1', [id]);

    const reply = await post(`/conversations/${id}/messages`, { text: 'Sim, temos.' });

    expect(reply.status).toBe(201);
    expect(reply.body).toMatchObject({
      direction: 'outbound',
      status: 'queued',
      source: 'api',
      text: 'Sim, temos.',
      conversation_id: id,
      author: { type: 'service_account' },
    });
    const [conversation] = await rows(
      'select waiting_since, unread, handled_by from conversations where id = $1',
      [id],
    );
    expect(conversation).toEqual({ waiting_since: null, unread: 3, handled_by: 'none' });
  });

  it('is a person taking over when a member sends: what came is read, automations hand over', async () => {
    const { id } = await aTalk();
    const { token } = await aMember(door.ctx, { role: 'agent' });
    await rows(`update conversations set unread = 2, handled_by = 'automation' where id = $1`, [
      id,
    ]);

    const reply = await post(`/conversations/${id}/messages`, { text: 'Oi' }, token);

    expect([reply.status, reply.body.source]).toEqual([201, 'member']);
    const [conversation] = await rows(
      'select unread, handled_by from conversations where id = $1',
      [id],
    );
    expect(conversation).toEqual({ unread: 0, handled_by: 'member' });
  });

  it.each<[string, unknown, string]>([
    ['nothing to say', {}, 'text required'],
    ['an empty text', { text: '' }, 'text min_length'],
    ['a text of 4,097 characters', { text: '😀'.repeat(4_097) }, 'text max_length'],
    [
      'a caption that is too long',
      { text: 'a'.repeat(1_025), media_id: 'med_1' },
      'text max_length',
    ],
    [
      'a template with text',
      { text: 'a', template: { name: 'a', language: 'pt_BR' } },
      'text not_applicable',
    ],
    ['an unknown reply', { text: 'a', reply_to_id: 'msg_1' }, 'reply_to_id unknown_message'],
  ])('is refused with %s, and queues nothing', async (_, body, expected) => {
    const { id } = await aTalk();

    const reply = await post(`/conversations/${id}/messages`, body);

    expect([outcome(reply), problem(reply)]).toEqual(['422 validation', expected]);
    expect(await rows('select 1 from messages where conversation_id = $1', [id])).toEqual([]);
  });

  it('takes 4,096 characters, however many bytes they have', async () => {
    const { id } = await aTalk();

    const reply = await post(`/conversations/${id}/messages`, { text: '😀'.repeat(4_096) });

    expect(reply.status).toBe(201);
  });

  it('is refused outside the window before anything is queued, unless it is a template', async () => {
    const { id } = await aTalk({ window: true });
    const edge = new Date(Date.now() + 60_000);
    await rows('update conversations set window_expires_at = $2 where id = $1', [id, edge]);
    const template = { name: 'pedido_pronto', language: 'pt_BR', parameters: ['Ana', '7'] };

    const text = await post(`/conversations/${id}/messages`, { text: 'a' });
    const templated = await post(`/conversations/${id}/messages`, { template });

    expect(outcome(text)).toBe('422 out_of_window');
    expect(text.body.error.details).toEqual({ window_expires_at: edge.toISOString() });
    expect([templated.status, templated.body.type]).toEqual([201, 'template']);
  });

  it('lets a person, but no API key, write to a contact who opted out', async () => {
    const { id, contactId } = await aTalk();
    const { token } = await aMember(door.ctx, { role: 'agent', console: true });
    await rows('update contacts set opted_out = true where id = $1', [contactId]);

    const byKey = await post(`/conversations/${id}/messages`, { text: 'a' });
    const byPerson = await post(`/conversations/${id}/messages`, { text: 'a' }, token);

    expect([outcome(byKey), outcome(byPerson)]).toEqual(['422 opted_out', '201 queued']);
  });

  it('refuses a file that is not there, and an approved list that lacks the template', async () => {
    const { id } = await aTalk();
    const template = { name: 'pedido_pronto', language: 'pt_BR', parameters: [] };
    await rows(
      `insert into template_syncs (organization_id, number_id, due_at, synced_at) values ($1, $2, now(), now())
       on conflict do nothing`,
      [door.ctx.organizationId, numberId],
    );

    const unknown = await post(`/conversations/${id}/messages`, { template });
    await rows(
      `insert into templates (organization_id, number_id, name, language, category, status, components, synced_at)
       values ($1, $2, 'pedido_pronto', 'pt_BR', 'UTILITY', 'APPROVED', $3, now())`,
      [
        door.ctx.organizationId,
        numberId,
        JSON.stringify([{ type: 'BODY', text: 'Olá {{1}}, seu pedido {{2}} está pronto.' }]),
      ],
    );
    const short = await post(`/conversations/${id}/messages`, { template });
    const file = await post(`/conversations/${id}/messages`, { media_id: 'med_1' });

    expect(problem(unknown)).toBe('template unknown_template');
    expect(problem(short)).toBe('template.parameters count');
    expect(outcome(file)).toBe('422 unknown_media');
  });

  it('answers the first message to a repeated client_ref for 30 days, and sends nothing', async () => {
    const { id } = await aTalk();
    const ref = '🧾'.repeat(100);
    const body = { text: 'Pedido 7', client_ref: ref };

    const replies = await Promise.all(
      Array.from({ length: 6 }, () => post(`/conversations/${id}/messages`, body)),
    );

    expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 201]);
    expect(new Set(replies.map((reply) => reply.body.id)).size).toBe(1);
    expect(replies[0]?.body.client_ref).toBe(ref);
    await rows(`update client_refs set created_at = now() - interval '31 days'`);
    const later = await post(`/conversations/${id}/messages`, body);
    expect(later.status).toBe(201);
    expect(later.body.id).not.toBe(replies[0]?.body.id);
  });

  it('is not found outside what the member sees', async () => {
    const { id } = await aTalk();
    const { token } = await aMember(door.ctx, { role: 'agent', visibility: 'assigned' });

    expect(outcome(await post(`/conversations/${id}/messages`, { text: 'a' }, token))).toBe(
      '404 not_found',
    );
  });
});

describe('sending a message to somebody', () => {
  it('begins the conversation with a contact once', async () => {
    const contactId = (await aContact(door.ctx)).id;
    const body = { number_id: numberId, contact_id: contactId, text: 'Oi' };

    const [first, second] = [await post('/messages', body), await post('/messages', body)];

    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body.conversation_id).toBe(first.body.conversation_id);
  });

  it('finds the contact whose phone is spelled differently, and creates an unknown one', async () => {
    const contactId = (await aContact(door.ctx, { phone: '+5511987650001' })).id;
    const body = { number_id: numberId, text: 'Oi' };

    const known = await post('/messages', { ...body, phone: '+55 11 8765-0001' });
    const fresh = await post('/messages', { ...body, phone: '+55 11 98765-0002' });

    expect(known.body.contact_id).toBe(contactId);
    const [contact] = await rows('select phone, origin, created_via from contacts where id = $1', [
      fresh.body.contact_id,
    ]);
    expect(contact).toEqual({ phone: '+5511987650002', origin: 'import', created_via: 'api' });
    const done = "select action from audit_entries where target ->> 'id' in ($1, $2) order by seq";
    const entries = await rows(done, [fresh.body.contact_id, fresh.body.id]);
    expect(entries).toEqual([{ action: 'contact.created' }, { action: 'message.queued' }]);
  });

  it.each<[string, object, string]>([
    ['nobody', {}, '422 validation'],
    ['two addressees', { contact_id: 'con_1', phone: '+5511987650001' }, '422 validation'],
    ['a phone that is none', { phone: '123' }, '422 validation'],
    ['an unknown contact', { contact_id: 'con_1' }, '422 unknown_contact'],
    ['an unknown group', { group_id: 'grp_1' }, '422 unknown_group'],
    ['an unknown number', { number_id: 'num_1', contact_id: 'con_1' }, '422 unknown_number'],
  ])('is refused with %s', async (_, wishes, expected) => {
    const reply = await post('/messages', { number_id: numberId, text: 'Oi', ...wishes });

    expect(outcome(reply)).toBe(expected);
  });

  it('names the field that named a blocked contact', async () => {
    const { id, phone } = await aContact(door.ctx);
    await rows('update contacts set blocked = true where id = $1', [id]);
    for (const named of [{ contact_id: id }, { phone }]) {
      const reply = await post('/messages', { number_id: numberId, text: 'Oi', ...named });
      expect(problem(reply)).toBe(`${Object.keys(named)[0]} blocked`);
    }
  });

  it('makes a conversation that a member begins the member\u2019s own', async () => {
    const contactId = (await aContact(door.ctx)).id;
    const { id, token } = await aMember(door.ctx, { role: 'agent' });

    const reply = await post(
      '/messages',
      { number_id: numberId, contact_id: contactId, text: 'Oi' },
      token,
    );

    const [conversation] = await rows(
      'select assigned_member_id, handled_by from conversations where id = $1',
      [reply.body.conversation_id],
    );
    expect(conversation).toEqual({ assigned_member_id: id, handled_by: 'member' });
  });
});
