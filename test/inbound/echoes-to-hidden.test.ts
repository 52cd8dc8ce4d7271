import { describe, expect, it } from '@jest/globals';
import { anActiveAutomation, aRun } from '../support/factories/automations.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { aMessageWebhook, openInboundStage } from '../support/inbound.ts';
import { opened } from '../support/opened.ts';
import { factsOf, rowsOf } from '../support/rows-of.ts';
import { anEcho } from './support/echo.ts';

const stage = opened(openInboundStage);

const HIDDEN = 'BR.123';
/** As WhatsApp names somebody who hides the phone. */
const TO_HIDDEN = { to: undefined, to_user_id: HIDDEN };

async function aPlace() {
  const { ctx } = await aWorkspace(stage.database);
  const { id: numberId, phoneNumberId } = await aNumber(ctx);
  const told = async (webhook: object): Promise<void> => {
    expect((await stage.post(webhook)).status).toBe(200);
    await stage.process();
  };
  let sent = 0;
  const of = phoneNumberId ?? '';
  return {
    ctx,
    numberId,
    rows: <R>(text: string) => rowsOf<R>(ctx, text),
    typed: (fields: object) => told(anEcho(of, { id: `wamid.typed.${++sent}`, ...fields })),
    writes: (fields: object) => told(aMessageWebhook(of, { id: `wamid.in.${++sent}`, ...fields })),
  };
}

describe('a message that was typed on the handset to somebody who hides the phone', () => {
  it('stands in their conversation, and answers them', async () => {
    const place = await aPlace();
    await place.writes({ userId: HIDDEN, text: 'E o pedido?' });
    const [talk] = await place.rows<{ id: string; contact_id: string }>(
      'select id, contact_id from conversations',
    );
    const contactId = talk?.contact_id ?? '';
    const { id: automationId } = await anActiveAutomation(place.ctx);
    await aRun(place.ctx, { automationId, contactId, conversationId: talk?.id ?? '' });

    await place.typed(TO_HIDDEN);

    expect(await place.rows('select direction, contact_id from messages order by id')).toEqual([
      { direction: 'inbound', contact_id: contactId },
      { direction: 'outbound', contact_id: contactId },
    ]);
    expect(await place.rows('select waiting_since, unread, handled_by from conversations')).toEqual(
      [{ waiting_since: null, unread: 0, handled_by: 'member' }],
    );
    expect(await place.rows('select status from automation_runs')).toEqual([
      { status: 'handed_over' },
    ]);
    expect(await factsOf(place.ctx, 'message.sent')).toMatchObject([
      { contact: { name: 'Ana', phone: '' }, contact_id: contactId, source: 'phone' },
    ]);
  });

  it('makes an unknown person a contact of the team, who is known when they write', async () => {
    const place = await aPlace();

    await place.typed(TO_HIDDEN);
    const [unanswered] = await place.rows('select last_inbound_at from contacts');
    await place.writes({ userId: HIDDEN });

    expect(unanswered).toEqual({ last_inbound_at: null });
    expect(await place.rows('select origin, created_via, phone from contacts')).toEqual([
      { origin: 'team', created_via: 'member', phone: null },
    ]);
    expect(await factsOf(place.ctx, 'contact.created')).toHaveLength(1);
    expect(await place.rows('select direction from messages order by id')).toEqual([
      { direction: 'outbound' },
      { direction: 'inbound' },
    ]);
  });

  it('tells which phone is theirs where it names both, as their own messages do', async () => {
    const place = await aPlace();
    const { id } = await aContact(place.ctx, { phone: '+5511987651234' });

    await place.typed({ to: '5511987651234', to_user_id: HIDDEN });
    await place.writes({ userId: HIDDEN });

    expect(await place.rows('select contact_id from messages')).toEqual([
      { contact_id: id },
      { contact_id: id },
    ]);
  });
});
