import { beforeAll, describe, expect, it } from '@jest/globals';
import { freezeAudience } from '../../../src/campaigns/audience/freezing.ts';
import { sendBatch } from '../../../src/campaigns/batches/sending.ts';
import { sendCampaign } from '../../../src/campaigns/states/transitions.ts';
import { aCampaign } from '../../support/factories/campaigns.ts';
import { aStatusWebhook } from '../../support/inbound.ts';
import { eventually } from '../../support/waiting.ts';
import { REFUSE_NO_MORE, refuseEventsWith } from './support/refusing.ts';
import type { Shop } from './support/scene.ts';
import { sendingScene, type Talk, told } from './support/sending.ts';

const { aHeardShop, aTalk, becomes, campaignDeps, arrives, owner } = sendingScene();

let shop: Shop;
beforeAll(async () => {
  shop = await aHeardShop();
});

const eventsOf = async (messageId: string) =>
  (await shop.events('message.sent')).filter(({ message }) => message.id === messageId);

/** Its id, once it is sent and its audience stands. */
async function begun(people: readonly Talk[], text = 'Oi {{first_name}}!'): Promise<string> {
  const { id } = await aCampaign(shop.ctx, {
    number_id: shop.numberId,
    contact_ids: people.map(({ contactId }) => contactId),
    text,
  });
  await sendCampaign(shop.ctx, id);
  const ref = { organizationId: shop.ctx.organizationId, campaignId: id };
  const { database } = campaignDeps();
  await freezeAudience(database, ref, { now: () => new Date(), mayGoOn: () => true });
  return id;
}

const sendAll = (campaignId: string): Promise<void> =>
  eventually(async () => {
    const ref = { organizationId: shop.ctx.organizationId, campaignId };
    const signal = { stopped: new AbortController().signal };
    return (await sendBatch(campaignDeps(), ref, signal)).stage !== 'sending';
  });

const recipientOf = async (
  campaignId: string,
  { contactId }: Talk,
): Promise<string | undefined> => {
  const [row] = await shop.rows<{ status: string }>(
    'select status from campaign_recipients where campaign_id = $1 and contact_id = $2',
    [campaignId, contactId],
  );
  return row?.status;
};

/** The message of a campaign to somebody, and what was told of it. */
async function sentTo(campaignId: string, { contactId }: Talk) {
  const [row] = await shop.rows<{ id: string; status: string }>(
    'select id, status from messages where campaign_id = $1 and contact_id = $2',
    [campaignId, contactId],
  );
  const id = row?.id ?? '';
  return { id, status: row?.status, events: await eventsOf(id) };
}

describe('message.sent of a campaign', () => {
  it('tells of each person who got it, and of none who did not', async () => {
    const ana = await aTalk(shop, { name: 'Ana Souza' });
    const rui = await aTalk(shop, { name: 'Rui', phone: '+5511970131026' });
    const bia = await aTalk(shop, { name: 'Bia Lima' });
    const id = await begun([ana, rui, bia]);

    await sendAll(id);

    const first = await sentTo(id, ana);
    const lost = await sentTo(id, rui);
    const second = await sentTo(id, bia);
    expect(first.events).toEqual([told(shop, ana, first.id, 'Oi Ana!', 'campaign')]);
    expect([lost.status, lost.events]).toEqual(['failed', []]);
    expect(second.events).toEqual([told(shop, bia, second.id, 'Oi Bia!', 'campaign')]);
  });

  it('is of the caller when it is a trial', async () => {
    const bia = await aTalk(shop, { name: 'Bia Lima' });
    const { id } = await aCampaign(shop.ctx, {
      number_id: shop.numberId,
      contact_ids: [bia.contactId],
    });

    const trial = await shop.call('POST', `/campaigns/${id}/test`, { phone: bia.phone });
    await becomes(shop, trial.body.message_id, 'sent');

    const messageId = trial.body.message_id;
    expect(await eventsOf(messageId)).toEqual([told(shop, bia, messageId, 'Oi Bia!', 'api')]);
  });

  it('is kept if and only if the message is written down as sent', async () => {
    const talk = await aTalk(shop);
    await owner(refuseEventsWith('poison'));
    const id = await begun([talk], 'poison');

    const over = sendAll(id);
    await eventually(async () => (await recipientOf(id, talk)) === 'sending', {
      timeoutMs: 30_000,
    });
    const refused = await sentTo(id, talk);
    await owner(REFUSE_NO_MORE);
    await over;

    expect(refused).toMatchObject({ status: undefined, events: [] });
    expect(await sentTo(id, talk)).toMatchObject({
      status: 'sent',
      events: [{ source: 'campaign' }],
    });
  });
});

describe('message.sent of the handset', () => {
  it('tells of what somebody typed there, at the moment it was written, and once', async () => {
    const talk = await aTalk(shop);
    const seconds = Math.floor(Date.now() / 1000) - 60;
    const echo = {
      id: 'wamid.echo',
      from: '5511300000000',
      to: talk.phone.slice(1),
      type: 'text',
      timestamp: String(seconds),
      text: { body: 'Já separei' },
    };
    const value = { metadata: { phone_number_id: shop.phoneNumberId }, message_echoes: [echo] };
    const change = { field: 'smb_message_echoes', value };
    const webhook = {
      object: 'whatsapp_business_account',
      entry: [{ id: '1', changes: [change] }],
    };

    for (let round = 0; round < 2; round++) await arrives(webhook);
    await arrives(aStatusWebhook(shop.phoneNumberId, [{ id: 'wamid.echo', status: 'read' }]));

    const [row] = await shop.rows<{ id: string; status: string }>(
      "select id, status from messages where provider_id = 'wamid.echo'",
    );
    expect(row?.status).toBe('read');
    expect(await eventsOf(row?.id ?? '')).toEqual([
      told(shop, talk, row?.id ?? '', 'Já separei', 'phone'),
    ]);
    const [fact] = await shop.rows<{ at: string }>(
      `select payload::jsonb ->> 'timestamp' as at from facts where payload like '%Já separei%'
       union all select body::jsonb ->> 'timestamp' from events where body like '%Já separei%'`,
    );
    expect(fact?.at).toBe(new Date(seconds * 1000).toISOString());
  });
});
