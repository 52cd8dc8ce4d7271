import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { system } from '../../../src/access/actor.ts';
import { keepAside } from '../../../src/conversations/receiving/receiving.ts';
import { closeConversation, reopenConversation } from '../../../src/conversations/service.ts';
import { transact } from '../../../src/db/transact.ts';
import { aContact } from '../../support/factories/contacts.ts';
import { aConversation, someMessages } from '../../support/factories/conversations.ts';
import { aNumber } from '../../support/factories/numbers.ts';
import { type ClockScene, openClockScene } from './support/clock.ts';

const BEGIN = '2026-11-20T13:00:00Z';

let scene: ClockScene;
let numberId: string;
beforeAll(async () => {
  scene = await openClockScene();
  ({ id: numberId } = await aNumber(scene.at(BEGIN)));
});
afterEach(() => scene.rows("update automations set status = 'inactive'"));
afterAll(() => scene.close());

let people = 0;
const says = async (talk: { contactId: string; conversationId: string }, sentAt: string) => {
  const sent = new Date(sentAt);
  const [messageId] = await someMessages(scene.at(BEGIN), {
    ...talk,
    numberId,
    status: 'sent',
    sentAt: sent,
    createdAt: sent,
  });
  await scene.rows('update conversations set last_message_at = $2 where id = $1', [
    talk.conversationId,
    sent,
  ]);
  return messageId;
};
const talk = async (sentAt: string) => {
  const { id: contactId, name } = await aContact(scene.at(BEGIN), { name: `Pessoa ${++people}` });
  const conversationId = await aConversation(scene.at(BEGIN), { numberId, contactId });
  const messageId = await says({ contactId, conversationId }, sentAt);
  return { name, conversationId, contactId, messageId };
};
/** WhatsApp accepts another message, and says later that it failed. */
const isTakenBack = async (whose: Awaited<ReturnType<typeof talk>>, sentAt: string) =>
  scene.rows("update messages set status = 'failed' where id = $1", [await says(whose, sentAt)]);
const missedBy = (id: string): Promise<unknown> =>
  scene.rows('select reason, count::int from automation_drops where automation_id = $1', [id]);
const comesIn = (messageId: string | undefined) =>
  scene.rows(
    "update messages set direction = 'inbound', source = 'contact', status = 'received' where id = $1",
    [messageId],
  );

describe('silence', () => {
  it('starts when the person has not answered our last message for so long, once for each message', async () => {
    const id = await scene.automation({ type: 'no_reply', after: 'PT2H' });
    const silent = await talk('2026-11-20T14:00:00Z');
    const answered = await talk('2026-11-20T14:00:00Z');
    const own = await talk('2026-11-20T14:00:00Z');
    await comesIn(answered.messageId);
    await scene.rows('update messages set automation_id = $2 where id = $1', [own.messageId, id]);

    expect(await scene.look('2026-11-20T15:59:00Z')).toEqual([]);
    expect(await scene.look('2026-11-20T16:00:00Z')).toEqual([silent.name]);
    expect(await scene.look('2026-11-20T16:01:00Z')).toEqual([]);
    const interrupted = await talk('2026-11-20T16:30:00Z');
    await isTakenBack(interrupted, '2026-11-20T17:00:00Z');
    await isTakenBack(silent, '2026-11-20T17:00:00Z');
    expect(await scene.look('2026-11-20T18:59:00Z')).toEqual([]);
    expect(await scene.look('2026-11-20T19:00:00Z')).toEqual([interrupted.name]);
    expect(await scene.look('2026-11-20T21:00:00Z')).toEqual([]);

    // Between the moment of a message and the look, the next one leaves, or an answer comes.
    const overtaken = await talk('2026-11-20T20:00:20Z');
    const answering = await talk('2026-11-20T20:00:20Z');
    expect(await scene.look('2026-11-20T22:00:00Z')).toEqual([]);
    await isTakenBack(overtaken, '2026-11-20T22:00:40Z');
    await comesIn(await says(answering, '2026-11-20T22:00:40Z'));
    expect(await scene.look('2026-11-20T22:01:00Z')).toEqual([overtaken.name]);
    expect(await scene.look('2026-11-20T22:02:00Z')).toEqual([]);
    expect(await scene.look('2026-11-21T00:01:00Z')).toEqual([]);
  });

  it('of those whom a look had not reached before an outage of more than an hour is missed', async () => {
    const id = await scene.automation({ type: 'no_reply', after: 'PT2H' }, '2026-11-21T15:30:00Z');
    const reached = await talk('2026-11-21T14:00:00Z');
    const left = await talk('2026-11-21T14:00:00Z');
    const halfWay = (): Promise<unknown> =>
      scene.rows(
        `update automation_clocks set seen_until = '2026-11-21T15:59:00Z', look_until = '2026-11-21T16:00:00Z', look_after = $2
         where automation_id = $1`,
        [id, reached.conversationId],
      );
    await scene.look('2026-11-21T15:59:00Z');

    await halfWay();
    expect(await scene.look('2026-11-21T17:00:00Z')).toEqual([left.name]);
    await halfWay();
    expect(await scene.look('2026-11-21T17:01:00Z')).toEqual([]);
    expect(await missedBy(id)).toEqual([{ reason: 'missed', count: 1 }]);
    // What is due by then begins with its first person.
    await says(reached, '2026-11-21T15:02:00Z');
    await halfWay();
    expect(await scene.look('2026-11-21T17:02:00Z')).toEqual([reached.name]);
  });

  it('that passed in an outage of more than an hour is missed, and counted once', async () => {
    const id = await scene.automation({ type: 'no_reply', after: 'PT2H' }, '2026-11-24T13:00:00Z');
    await talk('2026-11-24T14:00:00Z');
    const late = await talk('2026-11-24T15:30:00Z');
    expect(await scene.look('2026-11-24T14:00:00Z')).toEqual([]);
    expect(await scene.look('2026-11-24T15:00:00Z')).toEqual([]);
    expect(await missedBy(id)).toEqual([]);

    expect(await scene.look('2026-11-24T18:00:00Z')).toEqual([late.name]);
    expect(await scene.look('2026-11-24T18:01:00Z')).toEqual([]);

    expect(await missedBy(id)).toEqual([{ reason: 'missed', count: 1 }]);
  });

  it('is not broken by editing a message or taking a reaction back', async () => {
    await scene.automation({ type: 'no_reply', after: 'PT2H' });
    const asides = [
      { type: 'edit', text: 'Bom dia!' },
      { type: 'reaction', text: '' },
    ];
    const takesIn = async ({ contactId }: { contactId: string }, at: string) => {
      const written = { numberId, contactId, media: null, replyTo: null, at: new Date(at) };
      for (const aside of asides)
        expect(
          await transact(scene.at(at), (tx) =>
            keepAside(tx, {
              ...written,
              ...aside,
              providerId: `wamid.${contactId}.${at}.${aside.type}`,
            }),
          ),
        ).not.toBeNull();
    };
    const before = await talk('2026-11-22T14:00:00Z');
    await takesIn(before, '2026-11-22T14:10:00Z');
    expect(await scene.look('2026-11-22T15:59:00Z')).toEqual([]);
    expect(await scene.look('2026-11-22T16:00:00Z')).toEqual([before.name]);
    await takesIn(before, '2026-11-22T16:05:00Z');
    expect(await scene.look('2026-11-22T18:10:00Z')).toEqual([]);

    // Between the moment and the look.
    const meanwhile = await talk('2026-11-22T18:00:20Z');
    expect(await scene.look('2026-11-22T20:00:00Z')).toEqual([]);
    const overtaken = await talk('2026-11-22T18:00:20Z');
    for (const one of [meanwhile, overtaken]) await takesIn(one, '2026-11-22T20:00:40Z');
    await isTakenBack(overtaken, '2026-11-22T20:00:50Z');
    expect(await scene.look('2026-11-22T20:01:00Z')).toEqual([meanwhile.name, overtaken.name]);
  });

  it('after a conversation was closed is waited for only where nobody chose to close it', async () => {
    await scene.automation({ type: 'no_reply', after: 'PT2H' });
    const bye = await talk('2026-11-23T14:00:00Z');
    const idle = await talk('2026-11-23T14:00:00Z');
    const later = await talk('2026-11-23T13:50:00Z');
    const again = await talk('2026-11-23T14:00:00Z');
    const actor = { type: 'automation', id: 'atm_1', name: 'Despedida' } as const;
    const at = { ...scene.at('2026-11-23T14:00:00Z'), actor };
    for (const { conversationId } of [bye, later, again])
      await closeConversation(at, conversationId);
    const service = { ...at, actor: system('idle closing') };
    await closeConversation(service, idle.conversationId);
    await says(later, '2026-11-23T14:00:10Z');
    await reopenConversation(scene.at('2026-11-23T14:10:00Z'), again.conversationId);
    expect(await scene.look('2026-11-23T15:59:00Z')).toEqual([]);

    expect(await scene.look('2026-11-23T16:01:00Z')).toEqual(
      [idle, later, again].map(({ name }) => name).sort(),
    );
  });
});
