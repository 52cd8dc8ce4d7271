import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Actor, system } from '../../../src/access/actor.ts';
import { closeConversation } from '../../../src/conversations/service.ts';
import { newId } from '../../../src/ids.ts';
import { aGroupOf } from '../../campaigns/support/groups.ts';
import { aContact } from '../../support/factories/contacts.ts';
import { aConversation, someMessages } from '../../support/factories/conversations.ts';
import { aMessageWebhook } from '../../support/inbound.ts';
import { aMember } from '../../support/members.ts';
import { REFUSE_NO_MORE, refuseEventsWith } from './support/refusing.ts';
import { eventScene, type Shop } from './support/scene.ts';

const { aShop, arrives, owner } = eventScene();

let shop: Shop;
beforeAll(async () => {
  shop = await aShop();
});

async function begun(): Promise<{ id: string; contactId: string }> {
  const contactId = (await aContact(shop.ctx)).id;
  return { id: await aConversation(shop.ctx, { numberId: shop.numberId, contactId }), contactId };
}

const closedOf = async (id: string) =>
  (await shop.events('conversation.closed')).filter(({ conversation }) => conversation.id === id);

const close = (id: string, call = {}) => shop.call('POST', `/conversations/${id}/close`, {}, call);

let people = 0;

/** Ten minutes ago a person wrote, twice, and was answered 90 seconds later; what a campaign said counts too. */
async function talked(): Promise<string> {
  people += 1;
  const from = `55119876600${people + 10}`;
  for (const n of [1, 2])
    await arrives(aMessageWebhook(shop.phoneNumberId, { id: `wamid.${from}.${n}`, from }));
  const earlier = "- interval '10 minutes'";
  await shop.rows(
    `update messages set created_at = created_at ${earlier} where provider_id like 'wamid.${from}.%'`,
  );
  const [row] = await shop.rows<{ id: string; contact_id: string; opened_at: Date }>(
    `update conversations c set opened_at = c.opened_at ${earlier} from contacts p
     where p.id = c.contact_id and p.phone = $1 returning c.id, c.contact_id, c.opened_at`,
    [`+${from}`],
  );
  const said = [
    { source: 'campaign', after: 10, sent: true },
    { source: 'api', after: 90, sent: true },
    { source: 'member', after: 120, sent: true },
    { source: 'member', after: 30, sent: false },
  ];
  for (const { source, after, sent } of said)
    await shop.rows(
      `insert into messages (organization_id, id, conversation_id, number_id, contact_id, direction, type, text, status,
         source, sent_at, created_at)
       select $1, $2, $3, $4, $5, 'outbound', 'text', 'Oi', case when $8 then 'sent' else 'failed' end, $6,
         case when $8 then at end, at
       from (select $9::timestamptz + $7 * interval '1 second' as at) t`,
      [
        ...[shop.ctx.organizationId, newId('msg'), row?.id, shop.numberId, row?.contact_id],
        ...[source, after, sent, row?.opened_at],
      ],
    );
  return row?.id ?? '';
}

async function personIn(conversationId: string): Promise<{ id: string; from: string }> {
  const [person] = await shop.rows<{ id: string; phone: string }>(
    'select p.id, p.phone from conversations v join contacts p on p.id = v.contact_id where v.id = $1',
    [conversationId],
  );
  return { id: person?.id ?? '', from: person?.phone.slice(1) ?? '' };
}

/** The person corrects an earlier message, and takes a reaction back. */
async function correctedIn(conversationId: string): Promise<string> {
  const { id: contactId, from } = await personIn(conversationId);
  const edit = {
    original_message_id: `wamid.${from}.1`,
    message: { type: 'text', text: { body: 'Oi?' } },
  };
  const reaction = { message_id: 'wamid.of.ours' };
  for (const said of [
    { type: 'edit', edit },
    { type: 'reaction', reaction },
  ])
    await arrives(aMessageWebhook(shop.phoneNumberId, { id: newId('msg'), from, ...said }));
  return contactId;
}

describe('conversation.closed', () => {
  it('tells when it was open, what was said in it and how long the person waited', async () => {
    const id = await talked();

    const { body } = await close(id);

    const [row] = await shop.rows<{ opened_at: Date; closed_at: Date; contact_id: string }>(
      'select opened_at, closed_at, contact_id from conversations where id = $1',
      [id],
    );
    expect(await closedOf(id)).toEqual([
      {
        conversation: {
          id,
          opened_at: row?.opened_at.toISOString(),
          closed_at: row?.closed_at.toISOString(),
          assigned_member_id: null,
          assigned_team_id: null,
        },
        closed_by: { type: 'api', id: expect.stringMatching(/^sva_/), name: 'Integração' },
        messages: { inbound: 2, outbound: 3 },
        first_reply_seconds: 90,
        contact_id: row?.contact_id,
        conversation_id: id,
        number_id: shop.numberId,
      },
    ]);
    expect(body.closed_at).toBe(row?.closed_at.toISOString());
  });

  it('counts each time it was open by itself', async () => {
    const id = await talked();
    await close(id);
    await shop.call('POST', `/conversations/${id}/reopen`);
    await close(id);

    expect(await closedOf(id)).toMatchObject([
      { messages: { inbound: 2, outbound: 3 }, first_reply_seconds: 90 },
      { messages: { inbound: 0, outbound: 0 }, first_reply_seconds: null },
    ]);
  });

  it('counts from the message with which the person opens it again', async () => {
    const id = await talked();
    await close(id);
    const { from } = await personIn(id);
    await arrives(aMessageWebhook(shop.phoneNumberId, { id: newId('msg'), from }));
    await close(id);

    expect(await closedOf(id)).toMatchObject([
      { messages: { inbound: 2, outbound: 3 }, first_reply_seconds: 90 },
      { messages: { inbound: 1, outbound: 0 }, first_reply_seconds: null },
    ]);
  });

  it('counts no correction and no reaction taken back as a message, nor as a question', async () => {
    const id = await talked();
    const contactId = await correctedIn(id);
    await close(id);
    await shop.call('POST', `/conversations/${id}/reopen`);
    await correctedIn(id);
    const answered = new Date(Date.now() + 60_000);
    await someMessages(shop.ctx, {
      conversationId: id,
      contactId,
      numberId: shop.numberId,
      status: 'sent',
      sentAt: answered,
      createdAt: answered,
    });
    await close(id);

    expect(await closedOf(id)).toMatchObject([
      { messages: { inbound: 2, outbound: 3 }, first_reply_seconds: 90 },
      { messages: { inbound: 0, outbound: 1 }, first_reply_seconds: null },
    ]);
  });

  it('names the member who closes it, and whose it was', async () => {
    const { id } = await begun();
    const person = await aMember(shop.ctx, { role: 'agent', teams: ['Vendas'], console: true });
    const [team_id] = person.teamIds;
    const as = { key: person.token };
    await shop.call('POST', `/conversations/${id}/transfer`, { team_id, member_id: person.id }, as);

    await close(id, as);

    expect(await closedOf(id)).toMatchObject([
      {
        conversation: { assigned_member_id: person.id, assigned_team_id: team_id },
        closed_by: { type: 'member', id: person.id, name: 'Pessoa agent' },
        first_reply_seconds: null,
      },
    ]);
  });

  it.each<[string, Actor, object]>([
    [
      'an automation',
      { type: 'automation', id: 'atm_1', name: 'Boas-vindas' },
      { type: 'automation', id: 'atm_1', name: 'Boas-vindas' },
    ],
    [
      'the service itself',
      system('idle closing'),
      { type: 'system', id: null, name: 'idle closing' },
    ],
  ])('names %s', async (_, actor, closed_by) => {
    const { id, contactId } = await begun();

    await closeConversation({ ...shop.ctx, actor }, id);

    expect(await closedOf(id)).toMatchObject([{ closed_by, contact_id: contactId }]);
  });

  it("has no contact when it is a group's", async () => {
    const { conversationId } = await aGroupOf(shop.ctx, shop.numberId);

    await close(conversationId);

    expect(await closedOf(conversationId)).toMatchObject([
      { contact_id: null, conversation_id: conversationId, number_id: shop.numberId },
    ]);
  });

  it('is told once when the request is replayed, and not again by a refused one', async () => {
    const { id } = await begun();
    const idempotencyKey = `close-${id}`;

    const replies = [
      await close(id, { idempotencyKey }),
      await close(id, { idempotencyKey }),
      await close(id),
    ];

    expect(replies.map(({ status }) => status)).toEqual([200, 200, 409]);
    expect(await closedOf(id)).toHaveLength(1);
  });

  it('is kept if and only if the change is', async () => {
    const { id } = await begun();
    await owner(refuseEventsWith(id));

    const refused = await close(id);
    const { body } = await shop.call('GET', `/conversations/${id}`);
    await owner(REFUSE_NO_MORE);

    expect([refused.status, body.status, await closedOf(id)]).toEqual([500, 'open', []]);
    await close(id);
    expect(await closedOf(id)).toHaveLength(1);
  });
});
