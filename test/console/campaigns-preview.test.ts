import { expect, it } from '@jest/globals';
import { aCampaign } from '../support/factories/campaigns.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import { aConsoleScene } from './support/scene.ts';

const scene = opened(() => aConsoleScene());

it('the preview of a campaign says that it names only the first of those left out', async () => {
  const { id: numberId } = await aNumber(scene.ctx);
  const { id: contactId } = await aContact(scene.ctx, { name: 'Rita Reis' });
  const { id } = await aCampaign(scene.ctx, { number_id: numberId, contact_ids: [contactId] });
  await rowsOf(scene.ctx, 'update contacts set opted_out = true where id = $1', [contactId]);

  const { text } = await scene.people.owner.get(`${scene.base}/campaigns/${id}/preview`);

  const [, leftOut = ''] = text.split('Who does not get it, and why</h2>');
  expect(leftOut).toMatch(/<h3>The first of them<\/h3>.*Rita Reis/s);
});

it('the preview of a draft without a time says when it would end, and no beginning', async () => {
  const { id: numberId } = await aNumber(scene.ctx);
  const { id: contactId } = await aContact(scene.ctx);
  const wishes = { number_id: numberId, contact_ids: [contactId], pace: 60 };
  const { id } = await aCampaign(scene.ctx, wishes);

  const { text } = await scene.people.owner.get(`${scene.base}/campaigns/${id}/preview`);

  expect(text).toMatch(/<small>[^<]+<\/small>/);
  expect(text).not.toContain('If it begins on');
});
