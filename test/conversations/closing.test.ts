import { beforeAll, describe, expect, it } from '@jest/globals';
import { keepMessage } from '../../src/conversations/receiving/receiving.ts';
import { conversationRoutes } from '../../src/conversations/routes.ts';
import { transact } from '../../src/db/transact.ts';
import { openApi } from '../support/api.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation, someMessages } from '../support/factories/conversations.ts';
import { aNumber } from '../support/factories/numbers.ts';
import type { Reply } from '../support/http.ts';
import { aMember } from '../support/members.ts';
import { opened } from '../support/opened.ts';
import { auditActions, factsOf } from '../support/rows-of.ts';

const door = opened(() => openApi({ routes: conversationRoutes }));
let numberId: string;

beforeAll(async () => {
  numberId = (await aNumber(door.ctx)).id;
});

const get = (path: string): Promise<Reply> => door.call('GET', `${path}`);
const post = (path: string): Promise<Reply> => door.call('POST', `${path}`);

async function begun(): Promise<{ id: string; contactId: string }> {
  const contactId = (await aContact(door.ctx)).id;
  return { id: await aConversation(door.ctx, { numberId, contactId }), contactId };
}

/** A person writes. */
const writes = (contactId: string) =>
  transact(door.ctx, (tx) =>
    keepMessage(tx, {
      numberId,
      contactId,
      providerId: `wamid.${Math.random()}`,
      type: 'text',
      text: 'Oi',
      media: null,
      replyTo: null,
      at: new Date(),
    }),
  );

describe('closing and reopening', () => {
  it('closes once, tells the customer how it went, and writes the log', async () => {
    const { id, contactId } = await begun();
    await writes(contactId);
    await someMessages(door.ctx, {
      numberId,
      contactId,
      conversationId: id,
      status: 'sent',
      sentAt: new Date(),
      createdAt: new Date(door.ctx.now.getTime() + 30_000),
    });

    const closed = await post(`/conversations/${id}/close`);
    const again = await post(`/conversations/${id}/close`);

    expect(closed.status).toBe(200);
    expect(closed.body).toMatchObject({ status: 'closed', unread: 0, waiting_since: null });
    expect(closed.body.closed_at).not.toBeNull();
    expect(again.status).toBe(409);
    expect(again.body.error).toMatchObject({
      code: 'invalid_state',
      details: { status: 'closed', allowed: ['open'] },
    });
    const { facts, entries } = await kept(id);
    expect(facts).toMatchObject([
      {
        conversation: { id, opened_at: door.ctx.now.toISOString() },
        closed_by: { type: 'api', name: 'Integração' },
        messages: { inbound: 1, outbound: 1 },
        first_reply_seconds: 30,
        contact_id: contactId,
        conversation_id: id,
        number_id: numberId,
      },
    ]);
    expect(entries).toEqual(['conversation.closed']);
  });

  it('names the person who closes it, and whose it was', async () => {
    const { id } = await begun();
    const person = await aMember(door.ctx, { role: 'agent', teams: ['Vendas'] });
    const team = person.teamIds[0] ?? '';
    const by = (path: string, body?: object): Promise<Reply> =>
      door.api.call('POST', `/api/v1/conversations/${id}/${path}`, { key: person.token, body });
    await by('transfer', { team_id: team, member_id: person.id });

    expect((await by('close')).status).toBe(200);

    expect((await kept(id)).facts).toMatchObject([
      {
        closed_by: { type: 'member', id: person.id },
        conversation: { assigned_member_id: person.id, assigned_team_id: team },
        first_reply_seconds: null,
      },
    ]);
  });

  it('reopens what is closed, and refuses what is open', async () => {
    const { id } = await begun();

    const tooEarly = await post(`/conversations/${id}/reopen`);
    await post(`/conversations/${id}/close`);
    const reopened = await post(`/conversations/${id}/reopen`);

    expect([tooEarly.status, tooEarly.body.error.code]).toEqual([409, 'invalid_state']);
    expect(reopened.body).toMatchObject({ status: 'open', closed_at: null });
    expect((await kept(id)).entries).toEqual(['conversation.closed', 'conversation.reopened']);
  });

  it('is undone by the next message of the contact', async () => {
    const { id, contactId } = await begun();
    await post(`/conversations/${id}/close`);

    const { conversationId } = await writes(contactId);

    expect(conversationId).toBe(id);
    const { body } = await get(`/conversations/${id}`);
    expect(body).toMatchObject({ status: 'open', closed_at: null, unread: 1 });
  });
});

async function kept(id: string): Promise<{ facts: unknown[]; entries: string[] }> {
  const facts = await factsOf(door.ctx, 'conversation.closed');
  return {
    facts: facts.filter(({ conversation_id }) => conversation_id === id),
    entries: await auditActions(door.ctx, id),
  };
}
