import { describe, expect, it } from '@jest/globals';
import { keepMessage } from '../../src/conversations/receiving/receiving.ts';
import { openConversation } from '../../src/conversations/sending/opening.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { transact } from '../../src/db/transact.ts';
import { addGroup } from '../../src/groups/service.ts';
import { bytesOf } from '../../src/media/bytes.ts';
import { laneScene } from '../conversations/support/lane.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aFile, aPhoto } from '../support/factories/media.ts';
import { eventually } from '../support/waiting.ts';

const { scene, aRelay, aTalk, say, rows, becomes, ledgerOf } = laneScene();

const PHOTO = aPhoto();

async function aTalkOn(numberId: string, phone: string): Promise<string> {
  const { id: contactId } = await aContact(scene.ctx, { phone });
  return transact(scene.ctx, (tx) => openConversation(tx, { numberId, contactId }));
}

async function bytesFrom(mediaId: string): Promise<Buffer> {
  const { organizationId } = scene.ctx;
  const read = <T>(work: Parameters<typeof inWorkspace<T>>[2]): Promise<T> =>
    inWorkspace(scene.database, organizationId, work);
  const pieces: Buffer[] = [];
  for await (const piece of bytesOf(read, organizationId, mediaId)) pieces.push(piece);
  return Buffer.concat(pieces);
}

describe('files on their way', () => {
  it('are uploaded to WhatsApp once for a number, and sent by its id', async () => {
    const file = await aFile(scene.ctx, PHOTO);
    const one = await aTalk();
    const two = await aTalk();
    await aRelay();

    const first = await say(one.conversationId, { mediaId: file, text: 'O bolo' });
    await becomes(first, 'sent');
    const again = await say(one.conversationId, { mediaId: file, text: '' });
    const other = await say(two.conversationId, { mediaId: file, text: '' });
    await becomes(again, 'sent');
    await becomes(other, 'sent');

    expect(ledgerOf(first)).toMatchObject([{ type: 'image', text: 'O bolo' }]);
    const uploads = await rows('select number_id from media_uploads where media_id = $1', [file]);
    expect(uploads).toHaveLength(2);
  });

  it('are uploaded again once WhatsApp may have forgotten them', async () => {
    const file = await aFile(scene.ctx, PHOTO);
    const { conversationId } = await aTalk();
    await aRelay();
    const sent = async (): Promise<unknown> => {
      await becomes(await say(conversationId, { mediaId: file, text: '' }), 'sent');
      const kept = 'select valid_until > now() as valid from media_uploads where media_id = $1';
      return rows(kept, [file]);
    };

    await sent();
    await rows('update media_uploads set valid_until = now() where media_id = $1', [file]);

    expect(await sent()).toEqual([{ valid: true }]);
  });

  it.each([
    ['of a wrong kind', '+5511990131053'],
    ['by an id that it does not know', '+5511990000100'],
  ])(
    'are uploaded again when WhatsApp refuses what it had kept, %s, unless that was uploaded just now',
    async (_, phone) => {
      const file = await aFile(scene.ctx, PHOTO);
      const talk = await aTalk();
      const refusing = await aTalkOn(talk.numberId, phone);
      await aRelay();
      await becomes(await say(talk.conversationId, { mediaId: file, text: '' }), 'sent');
      const uploads = () =>
        rows<{ provider_id: string }>('select provider_id from media_uploads where media_id = $1', [
          file,
        ]);
      const [first] = await uploads();

      await becomes(await say(refusing, { mediaId: file, text: '' }), 'failed');
      expect(await uploads()).toEqual([first]);

      await rows("update media_uploads set valid_until = valid_until - interval '2 hours'");
      await becomes(await say(refusing, { mediaId: file, text: '' }), 'failed');
      expect(await uploads()).toEqual([]);
      await becomes(await say(talk.conversationId, { mediaId: file, text: '' }), 'sent');
      expect(await uploads()).toHaveLength(1);
    },
  );

  it('of people are fetched and kept, and lost when WhatsApp has them no more', async () => {
    const file = await aFile(scene.ctx, PHOTO);
    const { conversationId, numberId, contactId } = await aTalk();
    await aRelay();
    const sent = await say(conversationId, { mediaId: file, text: '' });
    await becomes(sent, 'sent');
    const [upload] = await rows<{ provider_id: string }>(
      'select provider_id from media_uploads where media_id = $1',
      [file],
    );
    const receive = (id: string, providerId: string) =>
      transact(scene.ctx, (tx) =>
        keepMessage(tx, {
          numberId,
          contactId,
          providerId,
          type: 'image',
          text: '',
          media: { id, name: '', type: 'image/jpeg' },
          replyTo: null,
          at: new Date(),
        }),
      );

    const here = await receive(upload?.provider_id ?? '', 'wamid.here');
    const gone = await receive('404404', 'wamid.gone');
    const state = async (id: string | undefined): Promise<string | undefined> =>
      (await rows<{ state: string }>('select state from media where id = $1', [id]))[0]?.state;
    await eventually(async () => (await state(here.media?.id)) === 'kept');
    await eventually(async () => (await state(gone.media?.id)) === 'lost');

    expect((await bytesFrom(here.media?.id ?? '')).equals(PHOTO)).toBe(true);
  });
});

describe('messages to groups', () => {
  it('go to the group, one each 6 seconds for a number, and raise no event', async () => {
    const { numberId } = await aTalk();
    const first = await addGroup(scene.ctx, { numberId, providerId: '120363@g', name: 'Bairro' });
    const second = await addGroup(scene.ctx, { numberId, providerId: '120364@g', name: 'Obra' });
    const one = await say(first.conversationId);
    const two = await say(second.conversationId);
    const begun = Date.now();
    await aRelay();

    await becomes(one, 'sent');
    await becomes(two, 'sent');

    const a = ledgerOf(one)[0];
    const b = ledgerOf(two)[0];
    expect(a?.to).toBe('120363@g');
    expect(Math.max(a?.t ?? 0, b?.t ?? 0) - begun).toBeGreaterThan(5_900);
  });
});

describe('templates', () => {
  it('are read from WhatsApp soon after a number was added', async () => {
    const { numberId } = await aTalk();
    await aRelay();
    const names = (): Promise<{ name: string; status: string }[]> =>
      rows('select name, status from templates where number_id = $1 order by name', [numberId]);

    await eventually(async () => (await names()).length > 0);

    expect(await names()).toContainEqual({ name: 'pedido_pronto', status: 'APPROVED' });
    expect(await names()).toContainEqual({ name: 'promocao_antiga', status: 'REJECTED' });
  });
});
