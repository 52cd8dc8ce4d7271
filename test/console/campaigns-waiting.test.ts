import { expect, it } from '@jest/globals';
import { aCampaign } from '../support/factories/campaigns.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import { aConsoleScene } from './support/scene.ts';

const scene = opened(() => aConsoleScene());

it.each([
  ['quiet_hours', 'en', 'These are quiet hours. It waits until '],
  ['quiet_hours', 'pt-BR', 'São horas de silêncio. Espera até '],
  ['warm_up', 'en', 'The number has written to as many new people today as it may.'],
  ['warm_up', 'pt-BR', 'O número já escreveu hoje a tantas pessoas novas quantas podia.'],
])('a campaign that waits says for what: %s (%s)', async (why, language, words) => {
  const { id: numberId } = await aNumber(scene.ctx);
  const { id: contactId } = await aContact(scene.ctx);
  const { id } = await aCampaign(scene.ctx, { number_id: numberId, contact_ids: [contactId] });
  await rowsOf(
    scene.ctx,
    `update campaigns set status = 'sending', started_at = now(), waiting_for = $2,
         waiting_until = now() + interval '3 hours' where id = $1`,
    [id, why],
  );

  const { text } = await scene.people.viewer.get(`${scene.base}/campaigns/${id}`, {
    'accept-language': language,
  });

  expect(text).toContain(words);
});
