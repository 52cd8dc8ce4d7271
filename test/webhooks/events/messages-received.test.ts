import { beforeAll, describe, expect, it } from '@jest/globals';
import { aMessageWebhook, type WireMessage } from '../../support/inbound.ts';
import { REFUSE_NO_MORE, refuseEventsWith } from './support/refusing.ts';
import { eventScene, type Shop } from './support/scene.ts';

const { aShop, arrives, processedAgain, owner } = eventScene();

let shop: Shop;
beforeAll(async () => {
  shop = await aShop();
});

const writes = (wire: WireMessage): Promise<void> =>
  arrives(aMessageWebhook(shop.phoneNumberId, wire));

/** The events whose message says this. */
const saying = async (text: string) =>
  (await shop.events('message.received')).filter(({ message }) => message.text === text);

interface MessageRow {
  readonly id: string;
  readonly contact_id: string;
  readonly conversation_id: string;
  readonly media_id: string | null;
}

async function rowOf(providerId: string): Promise<MessageRow> {
  const [row] = await shop.rows<MessageRow>(
    'select id, contact_id, conversation_id, media_id from messages where provider_id = $1',
    [providerId],
  );
  if (!row) throw new TypeError(`no message ${providerId}`);
  return row;
}

const placeOf = ({ contact_id, conversation_id }: MessageRow) => ({
  number: { id: shop.numberId },
  contact_id,
  conversation_id,
  number_id: shop.numberId,
});

describe('message.received', () => {
  it('tells of a text, its contact and its number, once, however often WhatsApp repeats it', async () => {
    const wire = { id: 'wamid.text', text: 'Tem bolo?', name: 'Ana Souza', from: '5511987650001' };

    for (let round = 0; round < 3; round++) await writes(wire);

    const row = await rowOf('wamid.text');
    expect(await saying('Tem bolo?')).toEqual([
      {
        message: { id: row.id, text: 'Tem bolo?', type: 'text' },
        contact: { name: 'Ana Souza', phone: '+5511987650001' },
        ...placeOf(row),
      },
    ]);
  });

  it.each([
    ['image', { mime_type: 'image/jpeg', caption: 'A foto' }, 'A foto', ''],
    [
      'document',
      { mime_type: 'application/pdf', filename: 'nota.pdf', caption: 'A nota' },
      'A nota',
      'nota.pdf',
    ],
    ['video', { mime_type: 'video/mp4', caption: 'O filme' }, 'O filme', ''],
    ['audio', { mime_type: 'audio/ogg' }, '', ''],
    ['sticker', { mime_type: 'image/webp' }, '', ''],
  ])('names the file of a message: %s', async (type, media, text, name) => {
    const id = `wamid.${type}`;

    await writes({ id, type, [type]: { id: `file-${type}`, ...media } });

    const row = await rowOf(id);
    const events = await shop.events('message.received');
    expect(events.filter(({ message }) => message.id === row.id)).toMatchObject([
      { message: { id: row.id, text, media: { type, name, id: row.media_id } }, ...placeOf(row) },
    ]);
    expect(row.media_id).toMatch(/^med_/);
  });

  it.each([
    ['location', { latitude: -23.5, longitude: -46.6 }, '-23.5,-46.6'],
    ['reaction', { message_id: 'wamid.text', emoji: '👍' }, '👍'],
  ])('tells in words what is no text: %s', async (type, said, text) => {
    await writes({ id: `wamid.${type}`, type, [type]: said });

    const row = await rowOf(`wamid.${type}`);
    expect(await saying(text)).toMatchObject([{ message: { id: row.id, text } }]);
  });

  it('tells a correction, a deletion and a reaction taken back from new messages, and which one they are about', async () => {
    await writes({ id: 'wamid.typo', text: 'Tem boloo?' });
    const { id } = await rowOf('wamid.typo');
    const edited = { type: 'text', text: { body: 'Tem bolo hoje?' } };

    await writes({
      id: 'wamid.edit',
      type: 'edit',
      edit: { original_message_id: 'wamid.typo', message: edited },
    });
    const revoke = { original_message_id: 'wamid.typo' };
    await writes({ id: 'wamid.deleted', type: 'revoke', revoke });
    await writes({ id: 'wamid.back', type: 'reaction', reaction: { message_id: 'wamid.typo' } });
    await writes({ id: 'wamid.new', text: 'E amanhã?', context: { id: 'wamid.unknown' } });

    const messages = (await shop.events('message.received')).map(({ message }) => message);
    expect(messages.slice(-4)).toEqual([
      { id: expect.any(String), text: 'Tem bolo hoje?', type: 'edit', reply_to_id: id },
      { id: expect.any(String), text: '', type: 'edit', reply_to_id: id },
      { id: expect.any(String), text: '', type: 'reaction', reply_to_id: id },
      { id: expect.any(String), text: 'E amanhã?', type: 'text' },
    ]);
  });

  it('knows a person who hides the phone by the id of WhatsApp, and by the phone once it is shown', async () => {
    const hidden = { userId: 'BR.77', name: 'Rui' };
    await writes({ ...hidden, id: 'wamid.hidden', text: 'escondido' });
    await writes({
      id: 'wamid.shown',
      text: 'à vista',
      from: '5511987650077',
      from_user_id: 'BR.77',
    });

    const row = await rowOf('wamid.hidden');
    expect(await saying('escondido')).toEqual([
      {
        message: { id: row.id, text: 'escondido', type: 'text' },
        contact: { name: 'Rui', phone: '', wa_user_id: 'BR.77' },
        ...placeOf(row),
      },
    ]);
    expect(await saying('à vista')).toMatchObject([
      { contact: { name: 'Rui', phone: '+5511987650077' }, contact_id: row.contact_id },
    ]);
  });

  it('is told of a blocked contact and of one who opts out, too', async () => {
    const from = '5511987650003';
    await writes({ id: 'wamid.b1', from, text: 'antes' });
    const { contact_id } = await rowOf('wamid.b1');
    await shop.rows('update contacts set blocked = true where id = $1', [contact_id]);

    await writes({ id: 'wamid.b2', from, text: 'bloqueado' });
    await writes({ id: 'wamid.b3', from, text: 'SAIR' });

    expect(await saying('bloqueado')).toMatchObject([{ contact_id }]);
    expect(await saying('SAIR')).toMatchObject([{ contact_id }]);
  });

  it('is never told of what is said in a group, nor of a notice by WhatsApp', async () => {
    const before = await shop.events('message.received');

    await writes({ id: 'wamid.g', text: 'oi, grupo', group_id: 'g-1@g.us' });
    await writes({ id: 'wamid.s', type: 'system' });

    await rowOf('wamid.g');
    expect(await shop.events('message.received')).toEqual(before);
  });

  it('is kept if and only if the message is: a transaction that cannot commit leaves neither', async () => {
    await owner(refuseEventsWith('message.received'));
    await writes({ id: 'wamid.lost', text: 'perdida', from: '5511987650099' });
    const kept = () => shop.rows("select id from messages where text = 'perdida'");
    const refused = [await kept(), await saying('perdida')];
    await owner(REFUSE_NO_MORE);

    await processedAgain();

    expect(refused).toEqual([[], []]);
    expect([(await kept()).length, (await saying('perdida')).length]).toEqual([1, 1]);
  });
});
