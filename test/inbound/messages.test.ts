import { describe, expect, it } from '@jest/globals';
import type { Context } from '../../src/context.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { aMessageWebhook, openInboundStage, type WireMessage } from '../support/inbound.ts';
import { opened } from '../support/opened.ts';
import { factsOf, rowsOf } from '../support/rows-of.ts';

const stage = opened(openInboundStage);

interface Place {
  ctx: Context;
  numberId: string;
  phoneNumberId: string;
}

async function aPlace(window = false): Promise<Place> {
  const { ctx } = await aWorkspace(stage.database);
  const number = await aNumber(ctx, { window });
  return { ctx, numberId: number.id, phoneNumberId: number.phoneNumberId ?? '' };
}

async function arrives({ phoneNumberId }: Place, ...messages: WireMessage[]): Promise<void> {
  for (const message of messages) await stage.post(aMessageWebhook(phoneNumberId, message));
  await stage.process();
}

interface MessageRow {
  id: string;
  type: string;
  text: string;
  media_name: string;
  reply_to_id: string | null;
  contact_id: string;
  conversation_id: string;
}

const messagesOf = ({ ctx }: Place): Promise<MessageRow[]> =>
  rowsOf<MessageRow>(ctx, 'select * from messages order by id');

const onlyRow = async <R>({ ctx }: Place, table: string): Promise<R> => {
  const rows = await rowsOf<R>(ctx, `select * from ${table}`);
  expect(rows).toHaveLength(1);
  return rows[0] as R;
};

describe('a message from a person', () => {
  it('makes the contact, the conversation and the message, and tells both events', async () => {
    const place = await aPlace();

    await arrives(place, { id: 'wamid.a', text: 'Tem bolo?', name: 'Ana Souza' });

    const contact = await onlyRow<{ id: string; phone: string; origin: string }>(place, 'contacts');
    const conversation = await onlyRow<Record<string, unknown>>(place, 'conversations');
    const [message] = await messagesOf(place);
    expect(contact).toMatchObject({
      name: 'Ana Souza',
      phone: '+5511987654321',
      origin: 'direct',
      created_via: 'message',
      whatsapp_status: 'valid',
      last_inbound_at: expect.any(Date),
    });
    expect(conversation).toMatchObject({
      status: 'open',
      unread: 1,
      waiting_since: expect.any(Date),
    });
    const window = (conversation['window_expires_at'] as Date).getTime() - Date.now();
    expect(window).toBeGreaterThan(24 * 3600_000 - 300_000);
    expect(window).toBeLessThanOrEqual(24 * 3600_000);
    expect(await factsOf(place.ctx, 'message.received')).toEqual([
      {
        message: { id: message?.id, text: 'Tem bolo?', type: 'text' },
        contact: { name: 'Ana Souza', phone: '+5511987654321' },
        number: { id: place.numberId },
        contact_id: contact.id,
        conversation_id: conversation['id'],
        number_id: place.numberId,
      },
    ]);
    const created = await factsOf(place.ctx, 'contact.created');
    expect(created).toMatchObject([{ contact: { id: contact.id, created_via: 'message' } }]);
  });

  it('is one message and one event, replayed five times in any order and any wrapping', async () => {
    const place = await aPlace();
    const ids = ['wamid.1', 'wamid.2', 'wamid.3'];
    const replays = Array.from({ length: 5 }, (_, round) =>
      ids.map((id) => ({ id, text: id, round })),
    ).flat();

    await arrives(place, ...replays.sort(() => Math.random() - 0.5));

    expect((await messagesOf(place)).map(({ text }) => text).sort()).toEqual(ids);
    expect(await factsOf(place.ctx, 'message.received')).toHaveLength(3);
    expect(await onlyRow(place, 'conversations')).toMatchObject({ unread: 3 });
    await onlyRow(place, 'contacts');
  });

  it('finds a contact whose phone is kept with or without the ninth digit', async () => {
    const place = await aPlace();
    const known = await aContact(place.ctx, { name: 'Bia', phone: '+5531987654321' });

    await arrives(place, { id: 'wamid.ninth', from: '553187654321', name: 'Outra' });

    expect(await messagesOf(place)).toMatchObject([{ contact_id: known.id }]);
    expect(await onlyRow(place, 'contacts')).toMatchObject({
      name: 'Bia',
      phone: '+5531987654321',
    });
  });

  it('knows a person who hides the phone by the id of WhatsApp', async () => {
    const place = await aPlace();
    const wire = (id: string): WireMessage => ({ id, userId: 'BR.1234567890' });

    await arrives(place, wire('wamid.h1'), wire('wamid.h2'));

    const contact = await onlyRow<{ id: string }>(place, 'contacts');
    expect(contact).toMatchObject({ phone: null });
    expect((await messagesOf(place)).map(({ contact_id }) => contact_id)).toEqual([
      contact.id,
      contact.id,
    ]);
    const [event] = await factsOf(place.ctx, 'message.received');
    expect(event?.['contact']).toMatchObject({ phone: '', wa_user_id: 'BR.1234567890' });
  });

  it('keeps what kind of message it is, its caption and its file, and what it answers', async () => {
    const place = await aPlace();
    const document = {
      id: 'm-1',
      filename: 'nota.pdf',
      mime_type: 'application/pdf',
      caption: 'Nota',
    };

    await arrives(
      place,
      { id: 'wamid.k1', text: 'Primeira' },
      { id: 'wamid.k2', type: 'document', document, context: { id: 'wamid.k1' } },
      { id: 'wamid.k3', type: 'reaction', reaction: { message_id: 'wamid.k1', emoji: '👍' } },
      { id: 'wamid.k4', type: 'button', button: { text: 'Quero' } },
      { id: 'wamid.k5', type: 'hologram', hologram: { depth: 3 } },
    );

    const kept = await messagesOf(place);
    expect(kept).toMatchObject([
      { type: 'text', text: 'Primeira', reply_to_id: null },
      { type: 'document', text: 'Nota', media_name: 'nota.pdf', reply_to_id: kept[0]?.id },
      { type: 'reaction', text: '👍', reply_to_id: kept[0]?.id },
      { type: 'text', text: 'Quero' },
      { type: 'unsupported', text: '' },
    ]);
    const events = await factsOf(place.ctx, 'message.received');
    expect(events[1]?.['message']).toEqual({
      id: kept[1]?.id,
      text: 'Nota',
      type: 'document',
      reply_to_id: kept[0]?.id,
      media: { type: 'document', name: 'nota.pdf', id: expect.stringMatching(/^med_/) },
    });
  });

  it('keeps text as it was written: markup, formulas, NUL replaced and nothing else', async () => {
    const place = await aPlace();
    const texts = ['{{name}} <b>x</b>', '=cmd|calc', 'a\u0000b', 'tail \\u0000 kept', '👩🏽‍🚒'];

    await arrives(place, ...texts.map((text, n) => ({ id: `wamid.t${n}`, text })));

    expect((await messagesOf(place)).map(({ text }) => text)).toEqual([
      '{{name}} <b>x</b>',
      '=cmd|calc',
      'a\ufffdb',
      'tail \\u0000 kept',
      '👩🏽‍🚒',
    ]);
  });

  it('in a group is kept in the group’s conversation once, makes nobody a contact and raises no event', async () => {
    const place = await aPlace();
    const said = { id: 'wamid.g', group_id: 'group-1' };

    await arrives(place, said, said, { id: 'wamid.g2', group_id: 'group-1', text: 'Alguém?' });

    expect(await messagesOf(place)).toMatchObject([
      { text: 'Oi', author: { type: 'contact', name: 'Ana' }, contact_id: null },
      { text: 'Alguém?', contact_id: null },
    ]);
    const talk = await rowsOf(
      place.ctx,
      `select g.left_at, g.provider_id, v.unread, v.contact_id, v.window_expires_at
       from groups g join conversations v on v.id = g.conversation_id`,
    );
    expect(talk).toEqual([
      {
        left_at: null,
        provider_id: 'group-1',
        unread: 2,
        contact_id: null,
        window_expires_at: null,
      },
    ]);
    expect(await factsOf(place.ctx, 'message.received')).toEqual([]);
    expect(await factsOf(place.ctx, 'contact.created')).toEqual([]);
  });

  it('is none when it is a notice of WhatsApp', async () => {
    const place = await aPlace();

    await arrives(place, { id: 'wamid.s', type: 'system', system: { body: 'changed number' } });

    expect(await messagesOf(place)).toEqual([]);
    expect((await stage.stored()).every(({ done }) => done)).toBe(true);
  });
});
