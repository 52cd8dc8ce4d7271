import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Context } from '../../src/context.ts';
import { aCampaign } from '../support/factories/campaigns.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation, someMessages } from '../support/factories/conversations.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { aStatusWebhook, type InboundHouse, openInbound, rowsOf } from '../support/inbound.ts';

let house: InboundHouse;
beforeAll(async () => {
  house = await openInbound();
});
afterAll(() => house.close());

/** A campaign that is sending, with one message that WhatsApp took. */
async function sending(): Promise<{ ctx: Context; phoneNumberId: string; messageId: string }> {
  const { ctx } = await aWorkspace(house.database);
  const { id: numberId, phoneNumberId } = await aNumber(ctx);
  const contactId = (await aContact(ctx)).id;
  const { id } = await aCampaign(ctx, { number_id: numberId, contact_ids: [contactId] });
  const conversationId = await aConversation(ctx, { numberId, contactId });
  const [messageId = ''] = await someMessages(ctx, { numberId, contactId, conversationId });
  await rowsOf(house.database, ctx, "update campaigns set status = 'sending' where id = $1", [id]);
  const ofCampaign = 'update messages set campaign_id = $1 where id = $2';
  await rowsOf(house.database, ctx, ofCampaign, [id, messageId]);
  return { ctx, phoneNumberId: phoneNumberId ?? '', messageId };
}

const standing = async (ctx: Context): Promise<unknown> => {
  const [row] = await rowsOf(
    house.database,
    ctx,
    'select c.status, c.pause_reason, n.status as number from campaigns c join numbers n on n.id = c.number_id',
  );
  return row;
};

describe('a message that fails after WhatsApp took it', () => {
  it.each([
    [131048, 'paused', 'spam_limit', 'connected'],
    [190, 'paused', 'number_unavailable', 'disconnected'],
    [368, 'paused', 'number_unavailable', 'suspended'],
    [131045, 'paused', 'number_unavailable', 'error'],
    [131026, 'sending', null, 'connected'],
  ])(
    'with %i leaves its campaign %s (%s) and its number %s',
    async (code, status, reason, number) => {
      const { ctx, phoneNumberId, messageId } = await sending();
      const failed = { id: 'wamid.1', key: messageId, status: 'failed', code };

      await house.post(aStatusWebhook(phoneNumberId, [failed]));
      await house.process();

      expect(await standing(ctx)).toEqual({ status, pause_reason: reason, number });
    },
  );

  it.each([
    [131048, "update campaigns set running_since = now() + interval '2 seconds'"],
    [190, "update numbers set status_changed_at = now() + interval '2 seconds'"],
  ])('with %i stops nothing that a person has set going again since', async (code, again) => {
    const { ctx, phoneNumberId, messageId } = await sending();
    await rowsOf(house.database, ctx, again, []);

    await house.post(
      aStatusWebhook(phoneNumberId, [{ id: 'wamid.1', key: messageId, status: 'failed', code }]),
    );
    await house.process();

    expect(await standing(ctx)).toMatchObject({ status: 'sending', number: 'connected' });
  });

  it('stops nothing when the report is an old one', async () => {
    const { ctx, phoneNumberId, messageId } = await sending();
    const failed = { id: 'wamid.1', key: messageId, status: 'failed', code: 190 };
    const webhook = JSON.stringify(aStatusWebhook(phoneNumberId, [failed]));
    const anHourAgo = String(Math.floor(Date.now() / 1000) - 3_600);

    await house.post(webhook.replace(/"timestamp":"\d+"/, `"timestamp":"${anHourAgo}"`));
    await house.process();

    expect(await standing(ctx)).toMatchObject({ status: 'sending', number: 'connected' });
  });

  it.each([
    [131048, 'spam_limit', 'connected'],
    [190, 'number_unavailable', 'disconnected'],
  ])('with %i is acted on after all if that was cut short', async (code, reason, number) => {
    const { ctx, phoneNumberId, messageId } = await sending();
    const failed = { id: 'wamid.1', key: messageId, status: 'failed', code };
    const cut = `add constraint cut_short check (status <> 'paused' or organization_id <> '${ctx.organizationId}')`;
    await house.owner(`alter table campaigns ${cut}`);

    await house.post(aStatusWebhook(phoneNumberId, [failed]));
    await house.process();
    await house.owner('alter table campaigns drop constraint cut_short');
    const before = await standing(ctx);
    await house.later(0);
    await house.process();

    expect(before).toMatchObject({ status: 'sending', number: 'connected' });
    expect(await standing(ctx)).toEqual({ status: 'paused', pause_reason: reason, number });
  });
});
