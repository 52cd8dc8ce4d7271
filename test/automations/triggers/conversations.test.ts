import { afterEach, describe, expect, it } from '@jest/globals';
import { closeConversation, reopenConversation } from '../../../src/conversations/service.ts';
import { newId } from '../../../src/ids.ts';
import { aCampaign } from '../../support/factories/campaigns.ts';
import { aContact } from '../../support/factories/contacts.ts';
import { aNumber } from '../../support/factories/numbers.ts';
import { aMessageWebhook } from '../../support/inbound.ts';
import { opened } from '../../support/opened.ts';
import { openTriggerScene } from './support/scene.ts';

const scene = opened(openTriggerScene);
afterEach(() => scene.silence());

describe('a conversation', () => {
  it('starts what listens when it is closed, and when it is opened again by hand', async () => {
    const from = scene.aPhone();
    await scene.writes(from, 'oi');
    const [conversation] = await scene.rows<{ id: string }>('select id from conversations');
    const id = conversation?.id ?? '';
    await scene.automation('fechada', {
      type: 'conversation_closed',
      number_ids: [scene.numberId],
    });
    await scene.automation('aberta', { type: 'conversation_opened', number_ids: [scene.numberId] });
    await closeConversation(scene.ctx, id);
    await scene.act();
    expect(await scene.runs()).toMatchObject([
      {
        automation: 'fechada',
        conversation_id: id,
        trigger: { type: 'conversation_closed', ref: id },
      },
    ]);
    await reopenConversation(scene.ctx, id);
    await scene.act();
    expect(await scene.runs('aberta')).toMatchObject([
      { trigger: { type: 'conversation_opened', ref: id } },
    ]);
  });
});

describe('an answer to a campaign', () => {
  it('starts what listens for it at the first answer, which is none that was written before and came late', async () => {
    const { id: contactId } = await aContact(scene.ctx);
    const { id: campaignId } = await aCampaign(scene.ctx, {
      number_id: scene.numberId,
      contact_ids: [contactId],
    });
    await scene.automation('respostas', { type: 'campaign_replied', campaign_ids: [campaignId] });
    const from = scene.aPhone();
    await scene.writes(from, 'antes');
    await scene.rows(
      `insert into campaign_recipients (organization_id, id, campaign_id, contact_id, identity_key, phone, text, status, message_id, settled_at)
       select organization_id, $1, $2, id, id, phone, 'Oferta', 'delivered', $3, now() - interval '1 minute'
       from contacts where phone = $4`,
      [newId('rcp'), campaignId, newId('msg'), `+${from}`],
    );
    const tenMinutesAgo = String(Math.floor(Date.now() / 1_000) - 600);
    await scene.writes(from, 'atrasada', { timestamp: tenMinutesAgo });
    await scene.writes(from, 'quero!');
    await scene.writes(from, 'de verdade');
    await scene.act();
    expect(await scene.runs('respostas')).toMatchObject([
      { trigger: { type: 'campaign_replied', ref: campaignId } },
    ]);
    const answers = await scene.rows(
      'select m.text from automation_runs r join messages m on m.id = r.message_id',
    );
    expect(answers).toEqual([{ text: 'quero!' }]);
  });

  it('is none where it goes to another number than the one the campaign came from', async () => {
    const { id: campaignId } = await aCampaign(scene.ctx, {
      number_id: scene.numberId,
      contact_ids: [(await aContact(scene.ctx)).id],
    });
    await scene.automation('do número', { type: 'campaign_replied', campaign_ids: [campaignId] });
    const other = await aNumber(scene.ctx);
    const from = scene.aPhone();
    await scene.writes(from, 'antes');
    await scene.rows(
      `insert into campaign_recipients (organization_id, id, campaign_id, contact_id, identity_key, phone, text, status, message_id, settled_at)
       select organization_id, $1, $2, id, id, phone, 'Oferta', 'delivered', $3, now() - interval '1 minute'
       from contacts where phone = $4`,
      [newId('rcp'), campaignId, newId('msg'), `+${from}`],
    );
    const replies = async () => {
      await scene.act();
      const replied = 'select replied_at is not null as replied from campaign_recipients';
      const found = await scene.rows(`${replied} where campaign_id = $1`, [campaignId]);
      return [found, (await scene.runs('do número')).length];
    };

    await scene.stage.post(
      aMessageWebhook(other.phoneNumberId ?? '', { id: 'wamid.in.other', from, text: 'oi' }),
    );
    await scene.stage.process();
    expect(await replies()).toEqual([[{ replied: false }], 0]);

    await scene.writes(from, 'quero!');
    expect(await replies()).toEqual([[{ replied: true }], 1]);
  });
});
