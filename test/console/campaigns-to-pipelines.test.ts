import { expect, it } from '@jest/globals';
import { readCampaign } from '../../src/campaigns/reading.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { aCampaign } from '../support/factories/campaigns.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aPipeline } from '../support/factories/pipelines.ts';
import { opened } from '../support/opened.ts';
import { formIn } from './support/forms.ts';
import { aConsoleScene } from './support/scene.ts';

const scene = opened(() => aConsoleScene());

const stored = (id: string) =>
  inWorkspace(scene.database, scene.ctx.organizationId, (sql) =>
    readCampaign({ ...scene.ctx, sql, now: new Date() }, id),
  );

it('a campaign is written to everybody with an open deal in a pipeline, and to another one', async () => {
  const { owner } = scene.people;
  const list = `${scene.base}/campaigns`;
  const { id: numberId } = await aNumber(scene.ctx);
  const sales = await aPipeline(scene.ctx, 'Balcão');
  const cakes = await aPipeline(scene.ctx, 'Encomendas');
  const wish = { name: 'Oferta', number_id: numberId, text: 'Oi!', pace: '60' };
  // Who was ticked before the audience was changed stays ticked, out of sight.
  const { id: ticked } = await aContact(scene.ctx);
  const made = await owner.send(`${list}/new`, 'create', {
    ...wish,
    audience: `pipeline:${sales.id}`,
    contact_ids: ticked,
  });

  const address = made.headers.get('location') ?? '';
  const id = address.split('/').at(-1) ?? '';
  const toSales = { target: 'pipeline', pipeline_id: sales.id, contact_ids: [] };
  expect(await stored(id)).toMatchObject(toSales);
  expect((await owner.get(address)).text).toContain('>Pipeline: Balcão</a>');
  const shown = formIn((await owner.get(`${address}/edit`)).text, 'save');
  expect(shown['audience']).toBe(`pipeline:${sales.id}`);
  await owner.send(`${address}/edit`, 'save', { ...shown, audience: `pipeline:${cakes.id}` });
  expect(await stored(id)).toMatchObject({ target: 'pipeline', pipeline_id: cakes.id });
  const wrong = await owner.send(`${list}/new`, 'create', {
    ...wish,
    audience: 'pipeline:pip_1',
  });
  expect([wrong.status, wrong.text.includes('<a href="#f-audience">')]).toEqual([422, true]);
});

it('a campaign to some stages of a pipeline goes to no others when only its text is changed', async () => {
  const { owner } = scene.people;
  const { id: number_id } = await aNumber(scene.ctx);
  const { id: pipeline_id, stages } = await aPipeline(scene.ctx, 'Festas');
  const audience = {
    target: 'pipeline',
    pipeline_id,
    stage_ids: [stages['Proposta'] ?? ''],
  } as const;
  const { id } = await aCampaign(scene.ctx, { number_id, contact_ids: [], pace: 60, ...audience });
  const edit = `${scene.base}/campaigns/${id}/edit`;
  const shown = formIn((await owner.get(edit)).text, 'save');

  const saved = await owner.send(edit, 'save', { ...shown, text: 'Só hoje' });

  expect(saved.status).toBe(303);
  expect(await stored(id)).toMatchObject({ text: 'Só hoje', ...audience });
});
