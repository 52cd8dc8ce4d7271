import { describe, expect, it } from '@jest/globals';
import type { Context } from '../../src/context.ts';
import { createInboundProcessor } from '../../src/inbound/processor.ts';
import { startSimulator } from '../../src/simulator/simulator.ts';
import { anActiveAutomation, aRun } from '../support/factories/automations.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import {
  APP_SECRET,
  aMessageWebhook,
  aStatusWebhook,
  openInboundStage,
} from '../support/inbound.ts';
import { opened } from '../support/opened.ts';
import { factsOf, rowsOf } from '../support/rows-of.ts';
import { eventually } from '../support/waiting.ts';
import { anEcho, PERSON } from './support/echo.ts';

const stage = opened(openInboundStage);

interface Place {
  readonly ctx: Context;
  readonly numberId: string;
  readonly phoneNumberId: string;
}

async function aPlace(): Promise<Place> {
  const { ctx } = await aWorkspace(stage.database);
  const number = await aNumber(ctx);
  return { ctx, numberId: number.id, phoneNumberId: number.phoneNumberId ?? '' };
}

async function typed(place: Place, fields: Record<string, unknown>): Promise<void> {
  const { status } = await stage.post(anEcho(place.phoneNumberId, fields));
  expect(status).toBe(200);
  await stage.process();
}

const messages = (place: Place) => rowsOf(place.ctx, 'select * from messages order by id');

describe('a message that was typed on the handset', () => {
  it('stands in the conversation as ours, sent from the phone, and tells so', async () => {
    const place = await aPlace();
    await stage.post(aMessageWebhook(place.phoneNumberId, { id: 'wamid.q', text: 'E o pedido?' }));
    await stage.process();

    await typed(place, { id: 'wamid.typed' });

    const [conversation, ...others] = await rowsOf(place.ctx, 'select * from conversations');
    const [asked, answer, ...more] = await messages(place);
    expect([others, more]).toEqual([[], []]);
    expect(answer).toMatchObject({
      direction: 'outbound',
      source: 'phone',
      status: 'sent',
      text: 'Já separei o seu pedido',
      provider_id: 'wamid.typed',
      contact_id: asked?.['contact_id'],
      sent_at: expect.any(Date),
      conversation_id: conversation?.['id'],
    });
    expect(conversation).toMatchObject({ waiting_since: null, unread: 0, handled_by: 'member' });
    expect(await factsOf(place.ctx, 'message.sent')).toEqual([
      {
        message: { id: answer?.['id'], text: 'Já separei o seu pedido', type: 'text' },
        contact: { name: 'Ana', phone: `+${PERSON}` },
        number: { id: place.numberId },
        contact_id: asked?.['contact_id'],
        conversation_id: conversation?.['id'],
        number_id: place.numberId,
        source: 'phone',
      },
    ]);
  });

  it('is one message and one event, however often WhatsApp tells of it', async () => {
    const place = await aPlace();

    for (const round of [1, 2, 3]) await typed(place, { id: 'wamid.again', round });

    expect(await messages(place)).toHaveLength(1);
    expect(await factsOf(place.ctx, 'message.sent')).toHaveLength(1);
  });

  it('begins a conversation, and makes an unknown person a contact of the team', async () => {
    const place = await aPlace();

    await typed(place, { id: 'wamid.first' });

    const [contact, ...others] = await rowsOf(place.ctx, 'select * from contacts');
    expect(others).toEqual([]);
    expect(contact).toMatchObject({
      phone: `+${PERSON}`,
      origin: 'team',
      created_via: 'member',
      last_inbound_at: null,
      last_outbound_at: expect.any(Date),
    });
    const [conversation] = await rowsOf(place.ctx, 'select * from conversations');
    expect(conversation).toMatchObject({
      contact_id: contact?.['id'],
      window_expires_at: null,
      waiting_since: null,
    });
    expect(await factsOf(place.ctx, 'message.received')).toEqual([]);
  });

  it('hands over the automations that talk there', async () => {
    const place = await aPlace();
    await typed(place, { id: 'wamid.before' });
    const [conversation] = await rowsOf<{ id: string; contact_id: string }>(
      place.ctx,
      'select id, contact_id from conversations',
    );
    const { id: automationId } = await anActiveAutomation(place.ctx);
    await aRun(place.ctx, {
      automationId,
      contactId: conversation?.contact_id ?? '',
      conversationId: conversation?.id ?? '',
    });

    await typed(place, { id: 'wamid.over' });

    expect(await rowsOf(place.ctx, 'select status from automation_runs')).toEqual([
      { status: 'handed_over' },
    ]);
  });

  it('answers nothing that was written after it, when WhatsApp tells of it late', async () => {
    const place = await aPlace();
    const theirs = { id: 'wamid.theirs', text: 'E o meu pedido?' };
    await stage.post(aMessageWebhook(place.phoneNumberId, theirs));
    await stage.process();
    const [before] = await rowsOf<{ id: string; contact_id: string; waiting_since: Date }>(
      place.ctx,
      'select id, contact_id, waiting_since from conversations',
    );
    const { id: automationId } = await anActiveAutomation(place.ctx);
    const talks = { contactId: before?.contact_id ?? '', conversationId: before?.id ?? '' };
    await aRun(place.ctx, { automationId, ...talks });

    const tenMinutesAgo = String(Math.floor(Date.now() / 1000) - 600);
    await typed(place, { id: 'wamid.late', timestamp: tenMinutesAgo });

    const [conversation] = await rowsOf(place.ctx, 'select * from conversations');
    const { waiting_since } = before ?? {};
    expect(conversation).toMatchObject({ waiting_since, unread: 1, handled_by: 'none' });
    expect(await rowsOf(place.ctx, 'select status from automation_runs')).toEqual([
      { status: 'waiting' },
    ]);
    expect(await messages(place)).toHaveLength(2);
  });

  it('takes nobody to have been written to before what was sent last, when WhatsApp tells of it late', async () => {
    const place = await aPlace();
    await typed(place, { id: 'wamid.now' });
    const last = () => rowsOf(place.ctx, 'select last_outbound_at from contacts');
    const before = await last();

    await typed(place, { id: 'wamid.old', timestamp: String(Math.floor(Date.now() / 1000) - 600) });

    expect(await last()).toEqual(before);
  });

  it('is delivered and read by what WhatsApp says of it later, with no second event', async () => {
    const place = await aPlace();
    await typed(place, { id: 'wamid.later' });

    await stage.post(aStatusWebhook(place.phoneNumberId, [{ id: 'wamid.later', status: 'read' }]));
    await stage.process();

    expect(await messages(place)).toMatchObject([{ status: 'read' }]);
    expect(await factsOf(place.ctx, 'message.sent')).toHaveLength(1);
  });

  it('keeps a file with its caption and fetches it', async () => {
    const place = await aPlace();
    const image = { id: 'media-1', mime_type: 'image/jpeg', caption: 'Assim?' };

    await stage.post(aMessageWebhook(place.phoneNumberId, { id: 'wamid.q', text: 'Qual bolo?' }));
    await stage.process();

    await typed(place, { id: 'wamid.image', type: 'image', image, context: { id: 'wamid.q' } });

    const [asked, message] = await messages(place);
    expect(message).toMatchObject({ type: 'image', text: 'Assim?', media_type: 'image/jpeg' });
    expect(await factsOf(place.ctx, 'message.sent')).toMatchObject([
      {
        message: {
          ...{ id: message?.['id'], text: 'Assim?', type: 'image', reply_to_id: asked?.['id'] },
          media: { type: 'image', name: '', id: message?.['media_id'] },
        },
      },
    ]);
    expect(await rowsOf(place.ctx, 'select media_id from media_fetches')).toEqual([
      { media_id: message?.['media_id'] },
    ]);
  });

  it.each([
    ['takes another one back', { type: 'revoke', revoke: { original_message_id: 'wamid.x' } }],
    ['corrects another one', { type: 'edit', edit: { original_message_id: 'wamid.x' } }],
    ['was written into a group', { group_id: 'group-1' }],
    ['names nobody', { to: undefined }],
  ])('is no message when it %s', async (_, fields) => {
    const place = await aPlace();

    await typed(place, { id: 'wamid.none', ...fields });

    expect(await messages(place)).toEqual([]);
    expect(await rowsOf(place.ctx, 'select id from contacts')).toEqual([]);
  });

  it('comes from the handset that the simulator plays, signed, over real HTTP', async () => {
    const place = await aPlace();
    const known = await aContact(place.ctx, { name: 'Caio', phone: '+5521988887777' });
    const simulator = await startSimulator({
      port: 0,
      callbackUrl: `${stage.api.url}/webhooks/whatsapp`,
      appSecret: APP_SECRET,
    });
    const processor = createInboundProcessor({ ...stage.options, pollMs: 500 });
    stage.onStored = () => processor.wake();
    processor.start();
    const post = (body: object): Promise<Response> =>
      fetch(`${simulator.url}/simulator/echo`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });

    const written = await post({
      phone_number_id: place.phoneNumberId,
      to: '+5521988887777',
      text: 'Pode vir buscar',
    });
    const refused = await post({ phone_number_id: place.phoneNumberId, to: 'Caio', text: 'Oi' });
    await eventually(async () => (await messages(place)).length === 1);
    stage.onStored = () => {};
    await processor.stop();
    await simulator.stop();

    expect(await written.json()).toMatchObject({ delivered: true });
    expect(refused.status).toBe(400);
    expect(await messages(place)).toMatchObject([
      { contact_id: known.id, source: 'phone', text: 'Pode vir buscar', status: 'sent' },
    ]);
  });
});
