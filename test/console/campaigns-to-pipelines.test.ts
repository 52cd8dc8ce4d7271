import { expect, it } from '@jest/globals';
import { readCampaign } from '../../src/campaigns/reading.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aPipeline } from '../support/factories/pipelines.ts';
import { opened } from '../support/opened.ts';
import { formIn } from './support/forms.ts';
import { aConsoleScene } from './support/scene.ts';

const scene = opened(() => aConsoleScene());

it('a campaign is written to everybody with an open deal in a pipeline, and to another one', async () => {
  const { owner } = scene.people;
  const list = `${scene.base}/campaigns`;
  const { id: numberId } = await aNumber(scene.ctx);
  const sales = await aPipeline(scene.ctx, 'Balcão');
  const cakes = await aPipeline(scene.ctx, 'Encomendas');
  const wish = { name: 'Oferta', number_id: numberId, text: 'Oi!', pace: '60' };
  const stored = (id: string) =>
    inWorkspace(scene.database, scene.ctx.organizationId, (sql) =>
      readCampaign({ ...scene.ctx, sql, now: new Date() }, id),
    );

  const made = await owner.send(`${list}/new`, 'create', {
    ...wish,
    audience: `pipeline:${sales.id}`,
  });

  const address = made.headers.get('location') ?? '';
  const id = address.split('/').at(-1) ?? '';
  expect(await stored(id)).toMatchObject({ target: 'pipeline', pipeline_id: sales.id });
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
