import { describe, expect, it } from '@jest/globals';
import type { Context } from '../../src/context.ts';
import { openConversation } from '../../src/conversations/sending/opening.ts';
import { queueMessage } from '../../src/conversations/sending/outgoing.ts';
import { transact } from '../../src/db/transact.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aFile } from '../support/factories/media.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { eventually } from '../support/waiting.ts';
import { laneScene } from './support/lane.ts';
import { uploadScene } from './support/uploads.ts';

const { scene, aRelay, say, rows, kept, becomes, ledgerOf } = laneScene();
const { uploadsAre } = uploadScene(scene);

/** A file of its own to each of so many people, by a number of their own. */
async function filesTo(people: number) {
  const numberId = (await aNumber(scene.ctx)).id;
  const sent: { conversationId: string; file: string }[] = [];
  for (let person = 0; person < people; person += 1) {
    const conversationId = await talk(scene.ctx, numberId, (await aContact(scene.ctx)).id);
    const mediaId = await aFile(scene.ctx);
    sent.push({ conversationId, file: await say(conversationId, { mediaId, text: '' }) });
  }
  return { numberId, sent };
}

const talk = (ctx: Context, numberId: string, contactId: string): Promise<string> =>
  transact(ctx, (tx) => openConversation(tx, { numberId, contactId }));

/** Nothing in the queue is due and not taken. */
const allLookedAt = (): Promise<void> =>
  eventually(async () => {
    const due = 'select from outgoing_messages where claim_token is null and not_before <= now()';
    return (await rows(due)).length === 0;
  });

describe('files whose upload takes long', () => {
  it('keep no text waiting, and each its turn in its conversation', async () => {
    const { numberId, sent } = await filesTo(32);
    const { promise: answered, resolve: answer } = Promise.withResolvers<undefined>();
    let uploads = 0;
    await aRelay(
      await uploadsAre(() => {
        uploads += 1;
        return answered;
      }),
    );
    await allLookedAt();
    // A place is taken before the file is read and sent.
    await eventually(() => uploads === 8);
    const last = sent.at(-1);
    const behind = await say(last?.conversationId ?? '');

    const text = await say(await talk(scene.ctx, numberId, (await aContact(scene.ctx)).id));

    await becomes(text, 'sent');
    expect(uploads).toBe(8);
    expect((await kept(behind))?.status).toBe('queued');
    answer(undefined);
    await becomes(behind, 'sent');
    expect((await kept(last?.file ?? ''))?.status).toBe('sent');
  });

  it('keep no other workspace waiting, nor its files', async () => {
    for (let number = 0; number < 4; number += 1) await filesTo(32);
    let uploads = 0;
    await aRelay(
      await uploadsAre(() => {
        uploads += 1;
        return uploads <= 16 ? new Promise(() => {}) : Promise.resolve(undefined);
      }),
    );
    await allLookedAt();
    await eventually(() => uploads === 16);
    const { ctx } = await aWorkspace(scene.database);
    const of = [(await aNumber(ctx)).id, (await aContact(ctx)).id] as const;
    const message = { conversationId: await talk(ctx, ...of), source: 'api', text: '' } as const;
    const mediaId = await aFile(ctx);

    const [text, file] = await transact(ctx, async (tx) => [
      await queueMessage(tx, { ...message, text: 'Olá!' }),
      await queueMessage(tx, { ...message, mediaId }),
    ]);

    await eventually(() => ledgerOf(text).length === 1 && ledgerOf(file).length === 1);
    expect(uploads).toBe(17);
  });
});
