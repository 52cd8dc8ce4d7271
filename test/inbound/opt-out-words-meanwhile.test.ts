import { describe, expect, it } from '@jest/globals';
import { updateContact } from '../../src/contacts/changing.ts';
import { deleteContact } from '../../src/contacts/deleting.ts';
import { noteSighting, recogniseSender } from '../../src/contacts/identity/senders.ts';
import { importRows } from '../../src/contacts/imports/rows.ts';
import { mergeContacts } from '../../src/contacts/merging/merging.ts';
import { lockPeople } from '../../src/contacts/person.ts';
import type { Context } from '../../src/context.ts';
import { transact } from '../../src/db/transact.ts';
import { statementsWaiting } from '../support/database.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation, someMessages } from '../support/factories/conversations.ts';
import {
  aChangeWebhook,
  aMessageWebhook,
  aPreferenceWebhook,
  aStatusWebhook,
} from '../support/inbound.ts';
import { opened } from '../support/opened.ts';
import { eventually } from '../support/waiting.ts';
import { openWritingScene } from './support/writing.ts';

const scene = opened(openWritingScene);

describe('a wish that comes at the very moment', () => {
  type Work = (tx: Context) => Promise<unknown>;
  /** The webhook is processed after `work`, as far as that goes before its transaction ends with `more`. */
  const meanwhile = async (work: Work, webhook: object, more: Work = async () => {}) => {
    const { processed } = await transact({ ...scene.ctx, now: new Date() }, async (tx) => {
      await work(tx);
      await scene.stage.post(webhook);
      let done = false;
      const processed = scene.stage.process().finally(() => {
        done = true;
      });
      await eventually(async () => done || (await statementsWaiting(scene.stage.database.app)) > 0);
      await more(tx);
      return { processed };
    });
    await processed;
  };
  const switched = (waId: string, value: string, userId?: string): object =>
    aPreferenceWebhook(scene.phoneNumberId, { waId, value, ...(userId && { userId }) });
  const isOut = async (id: string): Promise<unknown> =>
    (
      await scene.rows<{ opted_out: boolean }>('select opted_out from contacts where id = $1', [id])
    ).map(({ opted_out }) => opted_out);
  const phoneOf = (digits: string): { phone: string } => ({ phone: `+${digits}` });

  it.each<[string, (tx: Context, from: string) => Promise<unknown>]>([
    ['is imported', (tx, from) => importRows(tx, [phoneOf(from)])],
    ['is created', (tx, from) => aContact(tx, phoneOf(from))],
    [
      'becomes known by that phone',
      async (tx, from) => updateContact(tx, (await aContact(scene.ctx)).id, phoneOf(from)),
    ],
  ])('a person %s holds for them', async (_, known) => {
    const from = scene.aPhone();

    await meanwhile((tx) => known(tx, from), switched(from, 'stop'));

    expect(await scene.standing(from)).toMatchObject({ opted_out: true });
  });

  it('a person is imported takes back what they had switched before', async () => {
    const from = scene.aPhone();
    await scene.stage.post(switched(from, 'stop'));
    await scene.stage.process();

    await meanwhile((tx) => importRows(tx, [phoneOf(from)]), switched(from, 'resume'));

    expect(await scene.standing(from)).toMatchObject({ opted_out: false });
  });

  it('a person is imported under their new phone holds for them', async () => {
    const before = scene.aPhone();
    const after = scene.aPhone();
    await scene.writes(before, 'STOP');
    const told = { from: before, type: 'user_changed_number', wa_id: after };

    await meanwhile(
      (tx) => importRows(tx, [phoneOf(after)]),
      aChangeWebhook(scene.phoneNumberId, told),
    );

    expect(await scene.standing(after)).toMatchObject({ opted_out: true });
  });

  it("a person's id of WhatsApp becomes known holds for them", async () => {
    const from = scene.aPhone();
    const user = 'BR.7700112233';
    const { id } = await aContact(scene.ctx, phoneOf(from));
    const sender = { ...phoneOf(from), waUserId: user, name: 'Ana', at: new Date() };

    await meanwhile(
      async (tx) => noteSighting(tx, await recogniseSender(tx, sender), sender),
      switched(user, 'stop'),
    );

    expect(await isOut(id)).toEqual([true]);
  });

  it('a contact is merged into another holds for that one', async () => {
    const from = scene.aPhone();
    const survivor = await aContact(scene.ctx);
    const other = await aContact(scene.ctx, phoneOf(from));

    await meanwhile((tx) => mergeContacts(tx, survivor.id, other.id), switched(from, 'stop'));

    expect(await isOut(survivor.id)).toEqual([true]);
  });

  it('a contact is deleted holds for whoever has the phone later', async () => {
    const from = scene.aPhone();
    const { id } = await aContact(scene.ctx, phoneOf(from));

    await meanwhile((tx) => deleteContact(tx, id, []), switched(from, 'stop'));

    expect((await aContact(scene.ctx, phoneOf(from))).opted_out).toBe(true);
  });

  it('the other contact of the person is merged holds for the one it was merged into, said in words', async () => {
    const from = scene.aPhone();
    const user = 'BR.7700112244';
    await scene.writes('', 'Oi', { userId: user });
    const survivor = await aContact(scene.ctx);
    const other = await aContact(scene.ctx, phoneOf(from));
    const word = { id: 'wamid.meanwhile', from, from_user_id: user, text: 'STOP' };

    await meanwhile(
      (tx) => mergeContacts(tx, survivor.id, other.id),
      aMessageWebhook(scene.phoneNumberId, word),
    );

    expect(await isOut(survivor.id)).toEqual([true]);
  });

  it('a contact is merged holds for the survivor where a refusal tells of it', async () => {
    const survivor = await aContact(scene.ctx);
    const other = await aContact(scene.ctx);
    const place = { numberId: scene.numberId, contactId: other.id };
    const conversationId = await aConversation(scene.ctx, place);
    const [key = ''] = await someMessages(scene.ctx, { ...place, conversationId });
    const refused = { id: 'wamid.refused', key, status: 'failed', code: 131050 };

    await meanwhile(
      (tx) => lockPeople(tx, [survivor.id, other.id], 'key'),
      aStatusWebhook(scene.phoneNumberId, [refused]),
      (tx) => mergeContacts(tx, survivor.id, other.id),
    );

    expect(await isOut(survivor.id)).toEqual([true]);
  });
});
