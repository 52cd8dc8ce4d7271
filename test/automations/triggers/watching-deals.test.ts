import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { newId } from '../../../src/ids.ts';
import { changeDeal, deleteDeal } from '../../../src/pipelines/changing.ts';
import { aPipeline } from '../../support/factories/pipelines.ts';
import { openTriggerScene, type TriggerScene } from './support/scene.ts';

let scene: TriggerScene;
let pipeline: string;
beforeAll(async () => {
  scene = await openTriggerScene();
  pipeline = (await aPipeline(scene.ctx)).id;
});
afterEach(() => scene.silence());
afterAll(() => scene.close());

const status = async () => (await scene.runs()).at(-1)?.status;

/** Whoever writes has a deal from then on, and waits until something is so of it. */
async function dealOfWhoWaitsFor(when: object): Promise<string> {
  const steps = [
    { id: 'deal', type: 'create_deal', pipeline_id: pipeline, title: 'Bolo', next: 'wait' },
    { id: 'wait', type: 'wait_until', when, timeout: 'P30D', next: 'end', on_timeout: 'end' },
    { id: 'end', type: 'end' },
  ];
  const trigger = { type: 'message_received', match: 'equals', keywords: ['oi'] };
  await scene.automation(newId('atm'), trigger, { steps });
  await scene.writes(scene.aPhone(), 'oi');
  await scene.act();
  expect(await status()).toBe('waiting');
  const deals = await scene.rows<{ id: string }>('select id from deals order by id desc');
  return deals[0]?.id ?? '';
}

it('a run that waits until a deal is worth more goes on when somebody changes its value', async () => {
  const id = await dealOfWhoWaitsFor({ field: 'deal.value_cents', op: 'gte', value: 50_000 });
  await changeDeal(scene.ctx, id, { title: 'Torta' });
  await scene.act();
  expect(await status()).toBe('waiting');

  await changeDeal(scene.ctx, id, { value_cents: 60_000 });
  await scene.act();

  expect(await status()).toBe('succeeded');
});

it('a run that waits until there is no open deal goes on when it is deleted', async () => {
  const id = await dealOfWhoWaitsFor({
    not: { field: 'deal.status', op: 'in', value: ['open'] },
  });

  await deleteDeal(scene.ctx, id);
  await scene.act();

  expect(await status()).toBe('succeeded');
  expect(await scene.waiting()).toBe(0);
});
