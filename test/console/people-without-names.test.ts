import { expect, it } from '@jest/globals';
import { createContact } from '../../src/contacts/service.ts';
import { createDeal } from '../../src/pipelines/service.ts';
import { aCampaign } from '../support/factories/campaigns.ts';
import { aConversation } from '../support/factories/conversations.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aPipeline } from '../support/factories/pipelines.ts';
import { opened } from '../support/opened.ts';
import { aConsoleScene } from './support/scene.ts';

const scene = opened(() => aConsoleScene());

it('people of whom only an e-mail address is known are called by it wherever they are named', async () => {
  const { ctx, base, people } = scene;
  const email = 'ana@example.com';
  const { id: contactId } = await createContact(ctx, { email });
  const { id: pipeline, stages } = await aPipeline(ctx);
  const stage_id = stages['Novo'] ?? '';
  const { id: deal } = await createDeal(ctx, { contact_id: contactId, stage_id, title: 'Bolo' });
  const { id: numberId } = await aNumber(ctx);
  await aConversation(ctx, { numberId, contactId });
  const campaign = await aCampaign(ctx, { number_id: numberId, contact_ids: [contactId] });

  const places = [
    `/contacts/${contactId}`,
    `/deals/${deal}`,
    `/pipelines/${pipeline}`,
    '/inbox',
    `/campaigns/${campaign.id}`,
  ];
  for (const place of places) {
    const { text } = await people.owner.get(base + place);
    expect([place, text.includes(email)]).toEqual([place, true]);
    expect([place, text.includes(`>${contactId}<`)]).toEqual([place, false]);
  }
});
