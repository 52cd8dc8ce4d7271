import { describe, expect, it } from '@jest/globals';
import { mergeContacts } from '../../src/contacts/merging/merging.ts';
import { updateContact } from '../../src/contacts/service.ts';
import { sendToConversation, sendToSomebody } from '../../src/conversations/sending/sending.ts';
import { Existing } from '../../src/http/route.ts';
import { newId } from '../../src/ids.ts';
import { takeMessage } from '../../src/inbound/messages/receiving.ts';
import { aContact } from '../support/factories/contacts.ts';
import { laneScene } from './support/lane.ts';

const { scene, aRelay, aTalk, say, becomes, ledgerOf, rows } = laneScene();

interface Talk {
  readonly numberId: string;
  readonly contactId: string;
  readonly conversationId: string;
}

let people = 0;
const aPhone = (): string => `+55119833300${String(++people).padStart(2, '0')}`;

/** A person writes to the number, from a phone or hiding it. */
const writes = (numberId: string, from: string, at = new Date()): Promise<boolean> =>
  takeMessage(
    { database: scene.database, wake: () => {}, clock: { now: () => new Date(), skewMs: 0 } },
    { organizationId: scene.ctx.organizationId, numberId },
    {
      ...(from.startsWith('+') ? { phone: from, waUserId: null } : { phone: null, waUserId: from }),
      at,
      providerId: newId('msg'),
      name: '',
      groupId: null,
      type: 'text',
      text: 'oi',
      media: null,
      replyTo: null,
      payload: null,
      lead: '',
    },
  );

/** A contact with two phones, since another one was merged into it. */
async function twoPhones(): Promise<Talk & { first: string; second: string }> {
  const first = aPhone();
  const second = aPhone();
  const talk = await aTalk({ phone: first });
  const other = await aContact(scene.ctx, { phone: second });
  await mergeContacts(scene.ctx, talk.contactId, other.id);
  return { ...talk, first, second };
}

/** Where a message went: a phone, or WhatsApp's id of the person. */
async function wentTo(id: string): Promise<string> {
  await becomes(id, 'sent');
  const { to } = ledgerOf(id)[0] ?? { to: '' };
  return /^\d/.test(to) ? `+${to}` : to;
}

const answered = async ({ conversationId }: Pick<Talk, 'conversationId'>): Promise<string> =>
  wentTo(await say(conversationId, { source: 'member' }));

const idOf = (queued: Awaited<ReturnType<typeof sendToSomebody>>): string => {
  if (queued instanceof Existing) throw new TypeError('it was queued before');
  return queued.id;
};

/** A message to whoever has the phone. */
const sentTo = async ({ numberId }: Pick<Talk, 'numberId'>, phone: string): Promise<string> => {
  const now = { ...scene.ctx, now: new Date() };
  const body = { number_id: numberId, phone, text: 'Seu código é 4711.' };
  return idOf(await sendToSomebody(now, body));
};

/** The contact of whoever wrote from there. */
async function writer(from: string): Promise<string> {
  const [known] = await rows<{ id: string }>(
    'select contact_id as id from contact_identities where value = $1',
    [from],
  );
  if (!known) throw new TypeError('nobody wrote');
  return known.id;
}

it('an answer goes to the phone that wrote last', async () => {
  const talk = await twoPhones();
  await aRelay();

  await writes(talk.numberId, talk.second);
  expect(await answered(talk)).toBe(talk.second);
  await writes(talk.numberId, talk.first);
  expect(await answered(talk)).toBe(talk.first);
  await writes(talk.numberId, talk.second, new Date(Date.now() - 60_000));
  expect(await answered(talk)).toBe(talk.first);
});

it('what is written once its 24 hours are over goes to the contact’s own phone', async () => {
  const talk = await twoPhones();
  await writes(talk.numberId, talk.second, new Date(Date.now() - 25 * 3_600_000));
  await aRelay();

  expect(await answered(talk)).toBe(talk.first);
});

it('a phone that is no longer the contact’s gets no answer', async () => {
  const talk = await twoPhones();
  await writes(talk.numberId, talk.second);
  const fresh = aPhone();
  await updateContact(scene.ctx, talk.contactId, { phone: talk.second });
  await updateContact(scene.ctx, talk.contactId, { phone: fresh });
  await aRelay();

  expect(await answered(talk)).toBe(fresh);
});

it('after a merge goes on with the phone of the conversation that was written in last', async () => {
  const phone = aPhone();
  const other = aPhone();
  const stays = await aTalk({ phone });
  const elsewhere = await aTalk();
  await writes(stays.numberId, phone);
  await writes(stays.numberId, other);
  await writes(elsewhere.numberId, other);
  const goes = await writer(other);
  const [alone] = await rows<{ conversationId: string }>(
    'select id as "conversationId" from conversations where contact_id = $1 and number_id = $2',
    [goes, elsewhere.numberId],
  );
  if (!alone) throw new TypeError('no conversation');

  await mergeContacts(scene.ctx, stays.contactId, goes);
  await aRelay();

  expect(await answered(stays)).toBe(other);
  expect(await answered(alone)).toBe(other);
  await writes(stays.numberId, phone);
  expect(await answered(stays)).toBe(phone);
});

describe('a message that is meant for a phone', () => {
  it('goes to it, whichever phone wrote last, and however it is spelled', async () => {
    const talk = await twoPhones();
    await aRelay();

    await writes(talk.numberId, talk.second);
    expect(await wentTo(await sentTo(talk, talk.first))).toBe(talk.first);
    expect(await answered(talk)).toBe(talk.second);
    await writes(talk.numberId, talk.first);
    expect(await wentTo(await sentTo(talk, talk.second))).toBe(talk.second);
    const respelled = talk.first.replace('+55119', '+5511');
    expect(await wentTo(await sentTo(talk, respelled))).toBe(talk.first);
  });

  it('goes where an answer goes once the phone is no longer the contact’s', async () => {
    const talk = await twoPhones();
    await writes(talk.numberId, talk.second);
    const id = await sentTo(talk, talk.first);
    await updateContact(scene.ctx, talk.contactId, { phone: aPhone() });
    await aRelay();

    expect(await wentTo(id)).toBe(talk.second);
  });
});

describe('a person who hides a phone', () => {
  it('is answered where they wrote, whoever of the two stays in a merge', async () => {
    const phone = aPhone();
    const shown = await aTalk({ phone });
    const number = await aTalk();
    await writes(shown.numberId, 'BR.shown.1');
    await writes(number.numberId, 'BR.hidden.1');
    await writes(number.numberId, phone);
    await mergeContacts(scene.ctx, shown.contactId, await writer('BR.shown.1'));
    await aRelay();

    expect(await answered(shown)).toBe('BR.shown.1');
    await writes(shown.numberId, phone);
    expect(await answered(shown)).toBe(phone);
    await writes(number.numberId, 'BR.hidden.1');
    const hidden = await writer('BR.hidden.1');
    await mergeContacts(scene.ctx, hidden, shown.contactId);
    const [talk] = await rows<{ conversationId: string }>(
      'select id as "conversationId" from conversations where contact_id = $1 and number_id = $2',
      [hidden, number.numberId],
    );
    expect(await answered(talk ?? shown)).toBe('BR.hidden.1');
  });

  it('is answered by the id that wrote, of two', async () => {
    const { numberId } = await aTalk();
    await writes(numberId, 'BR.older');
    await writes(numberId, 'BR.newer');
    const older = await writer('BR.older');
    await mergeContacts(scene.ctx, older, await writer('BR.newer'));
    await writes(numberId, 'BR.older');
    const [talk] = await rows<{ conversationId: string }>(
      'select id as "conversationId" from conversations where contact_id = $1',
      [older],
    );
    await aRelay();

    expect(await answered(talk ?? { conversationId: '' })).toBe('BR.older');
  });

  it('is written to by the newest id once the 24 hours are over', async () => {
    const { numberId } = await aTalk();
    const days = (ago: number): Date => new Date(Date.now() - ago * 24 * 3_600_000);
    await writes(numberId, 'BR.first', days(3));
    await writes(numberId, 'BR.second', days(2));
    const contact = await writer('BR.first');
    await mergeContacts(scene.ctx, contact, await writer('BR.second'));
    const [talk] = await rows<{ id: string }>(
      'select id from conversations where contact_id = $1',
      [contact],
    );
    const template = { name: 'boas_vindas', language: 'pt_BR', parameters: ['Ana'] };
    await aRelay();

    expect(await wentTo(await say(talk?.id ?? '', { text: '', template }))).toBe('BR.second');
  });
});

it('somebody whose own phone was cleared is answered at the second one while its 24 hours run', async () => {
  const talk = await twoPhones();
  await updateContact(scene.ctx, talk.contactId, { phone: '' });
  await writes(talk.numberId, talk.second);
  await aRelay();
  const answer = async (hours: number): Promise<string> => {
    const ctx = { ...scene.ctx, now: new Date(Date.now() + hours * 3_600_000) };
    return idOf(await sendToConversation(ctx, talk.conversationId, { text: 'Oi!' }));
  };

  expect(await wentTo(await answer(0))).toBe(talk.second);
  await expect(answer(25)).rejects.toMatchObject({ details: [{ rule: 'no_phone' }] });
});
