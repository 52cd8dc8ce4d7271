import { beforeAll, describe, expect, it } from '@jest/globals';
import { aGroupOf } from '../../campaigns/support/groups.ts';
import { someMessages } from '../../support/factories/conversations.ts';
import { aFile } from '../../support/factories/media.ts';
import { aTemplate } from '../../support/factories/templates.ts';
import { aMessageWebhook, aStatusWebhook } from '../../support/inbound.ts';
import { aMember } from '../../support/members.ts';
import { REFUSE_NO_MORE, refuseEventsWith } from './support/refusing.ts';
import type { Shop } from './support/scene.ts';
import { sendingScene, told } from './support/sending.ts';

const { aHeardShop, aTalk, say, becomes, arrives, processedAgain, owner, faults } = sendingScene();

let shop: Shop;
beforeAll(async () => {
  shop = await aHeardShop();
});

const eventsOf = async (messageId: string) =>
  (await shop.events('message.sent')).filter(({ message }) => message.id === messageId);

const wamidOf = async (messageId: string): Promise<string> => {
  const [row] = await shop.rows<{ provider_id: string }>(
    'select provider_id from messages where id = $1',
    [messageId],
  );
  return row?.provider_id ?? '';
};

const reported = (messageId: string, status: string, code?: number): Promise<void> =>
  arrives(
    aStatusWebhook(shop.phoneNumberId, [
      { id: `wamid.${messageId}`, status, key: messageId, ...(code && { code }) },
    ]),
  );

describe('message.sent of a single message', () => {
  it('tells of what a key and a member send, once for a replayed request', async () => {
    const person = await aMember(shop.ctx, { role: 'agent', console: true });
    const talk = await aTalk(shop, { name: 'Ana' });
    const path = `/conversations/${talk.conversationId}/messages`;
    const idempotencyKey = `say-${talk.contactId}`;

    const byKey = await shop.call('POST', path, { text: 'da API' }, { idempotencyKey });
    await shop.call('POST', path, { text: 'da API' }, { idempotencyKey });
    const byMember = await shop.call('POST', path, { text: 'da Bia' }, { key: person.token });
    const ids = [byKey.body.id, byMember.body.id];
    for (const id of ids) await becomes(shop, id, 'sent');

    expect(await eventsOf(ids[0])).toEqual([told(shop, talk, ids[0], 'da API', 'api')]);
    expect(await eventsOf(ids[1])).toEqual([told(shop, talk, ids[1], 'da Bia', 'member')]);
  });

  it.each(['automation', 'reminder', 'system'] as const)('names the source %s', async (source) => {
    const talk = await aTalk(shop);

    const id = await say(shop, { conversationId: talk.conversationId, source, text: 'Oi' });
    await becomes(shop, id, 'sent');

    expect(await eventsOf(id)).toEqual([told(shop, talk, id, 'Oi', source)]);
  });

  it('tells what a template said', async () => {
    await aTemplate(shop.ctx, shop.numberId, { name: 'pronto', text: 'Olá {{1}}!' });
    const { conversationId } = await aTalk(shop);

    const template = { name: 'pronto', language: 'pt_BR', parameters: ['Ana'] };
    const id = await say(shop, { conversationId, template, text: undefined });
    await becomes(shop, id, 'sent');

    expect(await eventsOf(id)).toMatchObject([
      { message: { id, text: 'Olá Ana!', type: 'template' } },
    ]);
  });

  it('tells of a file without words, of what it answers, and of who has it from a status webhook', async () => {
    const talk = await aTalk(shop);
    const place = { numberId: shop.numberId, ...talk };
    const media_id = await aFile(shop.ctx);
    const wishes = { ...place, status: 'unconfirmed', count: 2 } as const;
    const [first = '', unconfirmed = ''] = await someMessages(shop.ctx, wishes);
    await shop.rows(
      `update messages set type = 'image', media_id = $1, media_name = 'bolo.jpg' where id = $2`,
      [media_id, unconfirmed],
    );

    const path = `/conversations/${talk.conversationId}/messages`;
    const { body } = await shop.call('POST', path, { media_id, reply_to_id: first });
    await becomes(shop, body.id, 'sent');
    await reported(unconfirmed, 'sent');

    const media = { type: 'image', name: 'bolo.jpg', id: media_id };
    const message = { id: body.id, text: '', type: 'image', reply_to_id: first, media };
    expect(await eventsOf(body.id)).toMatchObject([{ message }]);
    const [late] = await eventsOf(unconfirmed);
    expect(late?.message).toMatchObject({ type: 'image', media });
  });

  it('tells of the confirmation that the service sends to who opts out', async () => {
    const from = '5511987652001';

    await arrives(aMessageWebhook(shop.phoneNumberId, { id: 'wamid.out', from, text: 'SAIR' }));
    const [row] = await shop.rows<{ id: string }>(
      `select m.id from messages m join contacts c on c.id = m.contact_id where c.phone = $1 and m.source = 'system'`,
      [`+${from}`],
    );
    await becomes(shop, row?.id ?? '', 'sent');

    expect(await eventsOf(row?.id ?? '')).toMatchObject([
      { contact: { name: 'Ana', phone: `+${from}` }, source: 'system' },
    ]);
  });

  it('is not told again when it is delivered and read, nor when a loss is healed', async () => {
    const talk = await aTalk(shop);
    const id = await say(shop, { conversationId: talk.conversationId });
    await becomes(shop, id, 'sent');
    const wamid = await wamidOf(id);

    for (const status of ['sent', 'failed', 'delivered', 'read', 'read'])
      await arrives(aStatusWebhook(shop.phoneNumberId, [{ id: wamid, status, key: id }]));

    await becomes(shop, id, 'read');
    expect(await eventsOf(id)).toHaveLength(1);
  });

  it('is never told of what is refused, nor of what is lost before it was sent', async () => {
    const refused = await aTalk(shop, { phone: '+5511980131026' });
    const id = await say(shop, { conversationId: refused.conversationId });
    const place = { numberId: shop.numberId, ...(await aTalk(shop)) };
    const [lost = ''] = await someMessages(shop.ctx, place);
    await becomes(shop, id, 'failed');

    await reported(lost, 'failed', 131026);

    await becomes(shop, lost, 'failed');
    expect([await eventsOf(id), await eventsOf(lost)]).toEqual([[], []]);
  });

  it('is never told of a message to a group, also when it is read later', async () => {
    const { conversationId } = await aGroupOf(shop.ctx, shop.numberId);
    const id = await say(shop, { conversationId });
    await becomes(shop, id, 'sent');

    const read = { id: await wamidOf(id), status: 'read', key: id };
    await arrives(aStatusWebhook(shop.phoneNumberId, [read]));

    await becomes(shop, id, 'read');
    expect(await eventsOf(id)).toEqual([]);
  });

  it.each([
    ['sent', 'member'],
    ['delivered', 'automation'],
    ['read', 'reminder'],
    ['delivered', 'campaign'],
  ] as const)(
    'is told when an unconfirmed one turns out to be %s, with its source, and once',
    async (status, source) => {
      const talk = await aTalk(shop);
      const place = { numberId: shop.numberId, ...talk };
      const [id = ''] = await someMessages(shop.ctx, { ...place, source, status: 'unconfirmed' });

      for (const next of [status, status, 'delivered', 'read']) await reported(id, next);

      expect(await eventsOf(id)).toEqual([told(shop, talk, id, 'Olá!', source)]);
    },
  );

  it('is told once of one whose answer was lost, when WhatsApp reports it', async () => {
    await faults({ drop_after_accept_rate: 1 });
    const talk = await aTalk(shop);
    const id = await say(shop, { conversationId: talk.conversationId });
    await becomes(shop, id, 'unconfirmed');
    const before = await eventsOf(id);

    for (const status of ['sent', 'delivered']) await reported(id, status);

    expect(before).toEqual([]);
    expect(await eventsOf(id)).toEqual([told(shop, talk, id, 'Olá!', 'api')]);
  });

  it('is kept if and only if it is written down as sent: by the lane, and by a status webhook', async () => {
    const talk = await aTalk(shop);
    await owner(refuseEventsWith('poison'));
    const [unconfirmed = ''] = await someMessages(shop.ctx, {
      numberId: shop.numberId,
      ...talk,
      status: 'unconfirmed',
    });
    await shop.rows(`update messages set text = 'poison' where id = $1`, [unconfirmed]);
    const other = await aTalk(shop);
    const id = await say(shop, { conversationId: other.conversationId, text: 'poison too' });

    await becomes(shop, id, 'sending');
    await reported(unconfirmed, 'sent');
    const [row] = await shop.rows('select status from messages where id = $1', [unconfirmed]);
    const refused = [row, await eventsOf(unconfirmed), await eventsOf(id)];
    await owner(REFUSE_NO_MORE);
    await processedAgain();
    await becomes(shop, id, 'sent');

    expect(refused).toEqual([{ status: 'unconfirmed' }, [], []]);
    expect([(await eventsOf(unconfirmed)).length, (await eventsOf(id)).length]).toEqual([1, 1]);
  });
});
