import { expect, it } from '@jest/globals';
import { transact } from '../../src/db/transact.ts';
import { createDeal, moveDeal } from '../../src/pipelines/service.ts';
import { aRunScene, openRunStage } from '../automations/running/support/scene.ts';
import { untilWaiting } from '../support/database.ts';
import { aPipeline } from '../support/factories/pipelines.ts';
import { opened } from '../support/opened.ts';

const stage = opened(openRunStage);

it('a deal that a person closes just as an automation would move it stays closed', async () => {
  const scene = await aRunScene(stage);
  const {
    Novo: first = '',
    Proposta: second = '',
    Perdido: lost = '',
  } = (await aPipeline(scene.ctx)).stages;
  const { contactId: contact_id } = scene;
  const { id } = await createDeal(scene.ctx, { stage_id: first, contact_id });
  const runId = await scene.start([{ id: 's', type: 'move_stage', stage_id: second, next: 'end' }]);

  const { advanced } = await transact(scene.ctx, async (tx) => {
    await moveDeal(tx, id, { stage_id: lost, lost_reason: 'Preço' });
    const advanced = scene.advance(runId);
    await untilWaiting(stage.database.app);
    return { advanced };
  });
  await advanced;

  expect(await scene.rows('select stage_id, status, lost_reason from deals')).toEqual([
    { stage_id: lost, status: 'lost', lost_reason: 'Preço' },
  ]);
  expect(await scene.outputs(runId, 's')).toEqual([{ deal_id: null }]);
});
