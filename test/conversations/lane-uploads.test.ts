import { afterEach, describe, expect, it } from '@jest/globals';
import { openConversation } from '../../src/conversations/sending/opening.ts';
import { transact } from '../../src/db/transact.ts';
import { connectNumber } from '../../src/numbers/connecting.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aFile } from '../support/factories/media.ts';
import { testKeyring } from '../support/factories/numbers.ts';
import { eventually } from '../support/waiting.ts';
import { asOwner } from '../webhooks/events/support/refusing.ts';
import { laneScene } from './support/lane.ts';
import { uploadScene } from './support/uploads.ts';

const { scene, aRelay, aTalk, say, rows, kept, becomes, ledgerOf } = laneScene();
const { uploadsAre } = uploadScene(scene);

const owner = (statement: string) => asOwner(scene.files.url, statement);
// Whether or not the test that made it went well.
afterEach(() => owner('alter table media_uploads drop constraint if exists full_up'));

/** A file to one person, and a message to another one by the same number, taken together. */
async function fileAndText() {
  const { numberId, conversationId, contactId } = await aTalk();
  const other = (await aContact(scene.ctx)).id;
  const beside = await transact(scene.ctx, (tx) =>
    openConversation(tx, { numberId, contactId: other }),
  );
  const mediaId = await aFile(scene.ctx);
  const file = await say(conversationId, { mediaId, text: '' });
  const text = await say(beside);
  return { numberId, contactId, mediaId, file, text, beside };
}

describe('a file that is uploaded before its message leaves', () => {
  it('keeps no message to somebody else waiting', async () => {
    const { file, text } = await fileAndText();

    await aRelay(await uploadsAre(() => becomes(text, 'sent').then(() => undefined)));

    await becomes(file, 'sent');
    expect([ledgerOf(text), ledgerOf(file)]).toMatchObject([[{}], [{ type: 'image' }]]);
  });

  it('does not leave when the person opts out meanwhile', async () => {
    const { file, text, contactId } = await fileAndText();

    const optsOut = (): Promise<unknown> =>
      rows('update contacts set opted_out = true where id = $1', [contactId]);
    await aRelay(await uploadsAre(() => optsOut().then(() => undefined)));

    await becomes(file, 'failed');
    await becomes(text, 'sent');
    expect((await kept(file))?.error?.reason).toBe('no_recipient');
    expect(ledgerOf(file)).toEqual([]);
  });

  it('is lost alone when it is deleted meanwhile', async () => {
    const { file, text, mediaId } = await fileAndText();

    const goes = (): Promise<unknown> => rows('delete from media where id = $1', [mediaId]);
    await aRelay(await uploadsAre(() => goes().then(() => undefined)));

    await becomes(file, 'failed');
    await becomes(text, 'sent');
    expect((await kept(file))?.error?.reason).toBe('media_invalid');
  });

  it('is lost alone, by its file, when WhatsApp takes no such file', async () => {
    const { file, text } = await fileAndText();

    await aRelay(await uploadsAre(async () => ({ status: 400, code: 100 })));

    await becomes(file, 'failed');
    await becomes(text, 'sent');
    expect((await kept(file))?.error?.reason).toBe('media_invalid');
  });

  it('is tried again when the database did not take down where it is', async () => {
    const { file, text } = await fileAndText();
    await owner('alter table media_uploads add constraint full_up check (false) not valid');

    await aRelay(await uploadsAre(async () => undefined));
    const tries = () =>
      rows<{ attempts: number }>('select attempts from outgoing_messages where message_id = $1', [
        file,
      ]);
    await eventually(async () => ((await tries())[0]?.attempts ?? 0) > 0);
    await owner('alter table media_uploads drop constraint full_up');

    await becomes(file, 'sent');
    await becomes(text, 'sent');
  });

  it('takes the number down when WhatsApp refuses its token, and waits for it', async () => {
    const { numberId, file } = await fileAndText();
    let uploads = 0;

    await aRelay(
      await uploadsAre(async () => {
        uploads += 1;
        return { status: 401, code: 190 };
      }),
    );

    const number = () =>
      rows('select status, status_reason from numbers where id = $1', [numberId]);
    const down = { status: 'disconnected', status_reason: 'whatsapp_190' };
    await eventually(async () => JSON.stringify(await number()) === JSON.stringify([down]));
    expect([uploads, (await kept(file))?.status]).toEqual([1, 'queued']);
  });

  it('leaves the number up when WhatsApp refuses a token that is its own no more', async () => {
    const { numberId, file } = await fileAndText();
    const token = { accessToken: 'new' };
    let uploads = 0;

    await aRelay(
      await uploadsAre(async () => {
        uploads += 1;
        if (uploads > 1) return undefined;
        await connectNumber(scene.ctx, numberId, token, testKeyring);
        return { status: 401, code: 190 };
      }),
    );

    await becomes(file, 'sent');
    expect(await rows('select status from numbers where id = $1', [numberId])).toEqual([
      { status: 'connected' },
    ]);
  });

  it('leaves the number up though a message of the new token waited for an upload of the old one', async () => {
    const { numberId, file, mediaId, beside } = await fileAndText();
    const late: string[] = [];
    let uploads = 0;

    await aRelay(
      await uploadsAre(async () => {
        uploads += 1;
        if (uploads > 1) return undefined;
        await connectNumber(scene.ctx, numberId, { accessToken: 'new' }, testKeyring);
        late.push(await say(beside, { mediaId, text: '' }));
        await eventually(() => uploads > 1, { timeoutMs: 5_000 }).catch(() => {});
        return { status: 401, code: 190 };
      }),
    );

    await becomes(file, 'sent');
    await becomes(late[0] ?? '', 'sent');
    expect(await rows('select status from numbers where id = $1', [numberId])).toEqual([
      { status: 'connected' },
    ]);
  });

  it('is not tried while WhatsApp asks for fewer messages of the number', async () => {
    const { numberId, file } = await fileAndText();
    let uploads = 0;

    await aRelay(
      await uploadsAre(async () => {
        uploads += 1;
        return uploads === 1 ? { status: 429, code: 130429 } : undefined;
      }),
    );

    await becomes(file, 'sent');
    const held = 'select 1 from pacers where number_id = $1 and held_until is not null';
    expect(await rows(held, [numberId])).toHaveLength(1);
    expect(uploads).toBe(2);
  });
});
