import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { openConversation } from '../../src/conversations/sending/opening.ts';
import { queueMessage } from '../../src/conversations/sending/outgoing.ts';
import { transact } from '../../src/db/transact.ts';
import { aContact } from '../support/factories/contacts.ts';
import { anEndpoint } from '../support/factories/webhooks.ts';
import { memberActor } from '../support/members.ts';
import { eventually } from '../support/waiting.ts';
import { laneScene } from './support/lane.ts';

const { scene, faults, aRelay, aTalk, say, rows, kept, becomes, ledgerOf } = laneScene();

describe('the lane of messages that are sent one by one', () => {
  it('sends a queued message once, and tells the customer about it', async () => {
    const { conversationId, contactId } = await aTalk();
    await aRelay();

    const id = await say(conversationId, { source: 'member' });
    await becomes(id, 'sent');

    expect(ledgerOf(id)).toMatchObject([{ text: 'Olá!', decision: 'accepted' }]);
    expect((await kept(id))?.provider_id).toBe(ledgerOf(id)[0]?.wamid);
    expect(await rows('select 1 from outgoing_messages')).toEqual([]);
    const [contact] = await rows<{ at: Date | null }>(
      'select last_outbound_at as at from contacts where id = $1',
      [contactId],
    );
    expect(contact?.at).not.toBeNull();
  });

  it('keeps the order within a conversation, with two processes sending', async () => {
    await faults({ latency_ms: 20 });
    const { conversationId } = await aTalk();
    const words = Array.from({ length: 12 }, (_, i) => `${i}`);
    const ids: string[] = [];
    for (const text of words) ids.push(await say(conversationId, { text }));
    await Promise.all([aRelay(), aRelay()]);

    await becomes(ids.at(-1) ?? '', 'sent');

    const sent = scene.simulator.ledger().filter(({ key }) => ids.includes(key ?? ''));
    expect(sent.map(({ text }) => text)).toEqual(words);
  });

  it('sends hundreds of messages of many numbers once each, with two processes', async () => {
    const talks = await Promise.all([aTalk(), aTalk(), aTalk()]);
    const ids: string[] = [];
    for (let i = 0; i < 60; i += 1)
      for (const { numberId } of talks) {
        const contactId = (await aContact(scene.ctx)).id;
        const conversationId = await transact(scene.ctx, (tx) =>
          openConversation(tx, { numberId, contactId }),
        );
        ids.push(await say(conversationId));
      }
    await Promise.all([aRelay(), aRelay()]);

    await eventually(
      async () => (await rows('select 1 from outgoing_messages limit 1')).length === 0,
    );

    const sent = scene.simulator.ledger().filter(({ key }) => ids.includes(key ?? ''));
    expect(sent.map(({ key }) => key).sort()).toEqual(ids.toSorted());
  });

  it('records message.sent with its source, and none for what is lost', async () => {
    await anEndpoint(scene.ctx, 'https://hooks.example.com/sent');
    const { conversationId } = await aTalk();
    const lost = await aTalk({ phone: '+5511980131026' });
    const sent = await say(conversationId, { source: 'automation' });
    const failed = await say(lost.conversationId);
    await aRelay();
    await becomes(sent, 'sent');
    await becomes(failed, 'failed');

    expect((await kept(failed))?.error).toMatchObject({
      reason: 'no_whatsapp',
      provider_code: 131026,
    });
    const told = (): Promise<{ id: string; source: string }[]> =>
      rows(
        `select body::jsonb->'data'->'message'->>'id' as id, body::jsonb->'data'->>'source' as source
         from events where body::jsonb->'data'->'message'->>'id' = any($1)`,
        [[sent, failed]],
      );
    await eventually(async () => (await told()).length > 0);
    expect(await told()).toEqual([{ id: sent, source: 'automation' }]);
  });

  it.each([
    ['blocked', 'no_recipient'],
    ['opted_out', 'no_recipient'],
  ])(
    'looks once more before it leaves: a contact who is %s by now gets nothing',
    async (column, reason) => {
      const { conversationId, contactId } = await aTalk();
      const id = await say(conversationId);
      await rows(`update contacts set ${column} = true where id = $1`, [contactId]);
      await aRelay();

      await becomes(id, 'failed');

      expect((await kept(id))?.error?.reason).toBe(reason);
      expect(ledgerOf(id)).toEqual([]);
    },
  );

  it('learns from the answer to a send that the person wants no messages, and sends no second one', async () => {
    const { conversationId, contactId } = await aTalk({ phone: '+5511980131050' });
    const id = await say(conversationId);
    await aRelay();

    const optedOut = (): Promise<unknown[]> =>
      rows(
        `select opt_out_source as source, opt_out_message_id as evidence from contacts
         where id = $1 and opted_out`,
        [contactId],
      );
    await eventually(async () => (await optedOut()).length > 0);

    expect(await optedOut()).toEqual([{ source: 'whatsapp', evidence: id }]);
    const next = await say(conversationId);
    await becomes(next, 'failed');
    expect(ledgerOf(next)).toEqual([]);
  });

  it('lets a person write to somebody who opted out', async () => {
    const { conversationId, contactId } = await aTalk();
    await rows('update contacts set opted_out = true where id = $1', [contactId]);
    const id = await transact({ ...scene.ctx, actor: memberActor({ console: true }) }, (tx) =>
      queueMessage(tx, { conversationId, source: 'member', text: 'Olá!' }),
    );
    await aRelay();

    await becomes(id, 'sent');
  });

  it('sends nothing that an app wrote for a person to somebody who opted out meanwhile', async () => {
    const { conversationId, contactId } = await aTalk();
    const id = await transact({ ...scene.ctx, actor: memberActor() }, (tx) =>
      queueMessage(tx, { conversationId, source: 'member', text: 'Olá!' }),
    );
    await rows('update contacts set opted_out = true where id = $1', [contactId]);
    await aRelay();

    await becomes(id, 'failed');

    expect((await kept(id))?.error).toMatchObject({ reason: 'no_recipient', code: 'opted_out' });
    expect(ledgerOf(id)).toEqual([]);
  });

  it('loses free text whose window closed in the queue, and sends a template', async () => {
    const { conversationId } = await aTalk({ number: { window: true } });
    const text = await say(conversationId);
    const template = { name: 'boas_vindas', language: 'pt_BR', parameters: ['Ana'] };
    const templated = await say(conversationId, { text: '', template });
    await aRelay();

    await becomes(text, 'failed');
    await becomes(templated, 'sent');

    expect((await kept(text))?.error?.reason).toBe('out_of_window');
    expect(ledgerOf(templated)).toMatchObject([{ type: 'template', text: '[boas_vindas] Ana' }]);
  });

  it('answers a message by WhatsApp\u2019s own id of it', async () => {
    const { conversationId } = await aTalk();
    await aRelay();
    const first = await say(conversationId);
    await becomes(first, 'sent');

    const reply = await say(conversationId, { replyToId: first });
    await becomes(reply, 'sent');

    expect(ledgerOf(reply)).toHaveLength(1);
  });

  it('reports a lost answer as unconfirmed and never sends again', async () => {
    await faults({ drop_after_accept_rate: 1 });
    const { conversationId } = await aTalk();
    const id = await say(conversationId);
    await aRelay();

    await becomes(id, 'unconfirmed');
    await sleep(600);

    expect(ledgerOf(id)).toHaveLength(1);
    expect((await kept(id))?.error?.reason).toBe('unconfirmed');
  });

  it('waits when WhatsApp wants less, and then sends under the same correlation', async () => {
    const { conversationId } = await aTalk({ phone: '+5511980900003' });
    const id = await say(conversationId);
    await aRelay();

    await becomes(id, 'sent');

    const decisions = ledgerOf(id).map(({ decision }) => decision);
    expect(decisions.at(-1)).toBe('accepted');
    expect(decisions.filter((decision) => decision === 'refused:130429')).toHaveLength(2);
  });

  it('takes the number down, and keeps the message, when WhatsApp refuses the token under no known code', async () => {
    const { conversationId, numberId } = await aTalk();
    const body = JSON.stringify({ error: { code: 0, message: 'AuthException' } });
    const whatsApp = createServer((_, res) => void res.writeHead(401).end(body));
    await once(whatsApp.listen(0, '127.0.0.1'), 'listening');
    const id = await say(conversationId);
    await aRelay(`http://127.0.0.1:${(whatsApp.address() as AddressInfo).port}`);
    const number = () =>
      rows<{ status: string }>('select status, status_reason from numbers where id = $1', [
        numberId,
      ]);
    await eventually(async () => (await number())[0]?.status !== 'connected');
    whatsApp.closeAllConnections();
    whatsApp.close();

    expect(await number()).toEqual([{ status: 'disconnected', status_reason: 'whatsapp_0' }]);
    expect(await kept(id)).toMatchObject({ status: 'queued', error: null });
  });

  it('takes the number down when WhatsApp refuses its token, and keeps the message for an hour', async () => {
    const { conversationId, numberId } = await aTalk({ phone: '+5511980000190' });
    const id = await say(conversationId);
    await aRelay();
    const status = async (): Promise<string> =>
      (await rows<{ status: string }>('select status from numbers where id = $1', [numberId]))[0]
        ?.status ?? '';
    await eventually(async () => (await status()) === 'disconnected');

    await eventually(async () => (await kept(id))?.status === 'queued');
    await rows(`update messages set created_at = now() - interval '61 minutes' where id = $1`, [
      id,
    ]);
    await rows(`update numbers set down_since = now() - interval '61 minutes' where id = $1`, [
      numberId,
    ]);
    await rows('update outgoing_messages set not_before = now() where message_id = $1', [id]);
    await becomes(id, 'failed');

    expect((await kept(id))?.error?.reason).toBe('number_unavailable');
  });
});
