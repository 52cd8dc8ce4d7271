import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Context } from '../../../src/context.ts';
import { transact } from '../../../src/db/transact.ts';
import { removeStage } from '../../../src/pipelines/managing.ts';
import { type OwnDatabase, openOwnDatabase, untilWaiting } from '../../support/database.ts';
import { aCampaign } from '../../support/factories/campaigns.ts';
import { aNumber } from '../../support/factories/numbers.ts';
import { aPipeline } from '../../support/factories/pipelines.ts';
import { aWorkspace } from '../../support/factories/workspaces.ts';

let database: OwnDatabase;
let ctx: Context;
beforeAll(async () => {
  database = await openOwnDatabase();
  ({ ctx } = await aWorkspace(database));
});
afterAll(() => database.close());

it('a stage is not removed while a campaign to it is being written', async () => {
  const { id: numberId } = await aNumber(ctx);
  const { id: pipeline_id, stages } = await aPipeline(ctx);
  const stage = stages['Proposta'] ?? '';
  const aim = { target: 'pipeline' as const, pipeline_id, stage_ids: [stage] };

  const { removal } = await transact(ctx, async (tx) => {
    await aCampaign(tx, { ...aim, number_id: numberId, contact_ids: [] });
    const removal = removeStage(ctx, stage).then(
      () => 'removed',
      ({ code }: { code: string }) => code,
    );
    await untilWaiting(database.app);
    return { removal };
  });

  expect(await removal).toBe('in_use');
});

it('a campaign is to no stage of another pipeline', async () => {
  const { id: number_id } = await aNumber({ ...ctx, em: ctx.em.fork() });
  const pipeline = await aPipeline(ctx, 'Aqui');
  const other = await aPipeline(ctx, 'Ali');
  const stage = other.stages['Novo'] ?? '';
  const aim = { target: 'pipeline' as const, pipeline_id: pipeline.id, stage_ids: [stage] };

  const made = aCampaign({ ...ctx, em: ctx.em.fork() }, { ...aim, number_id, contact_ids: [] });

  await expect(made).rejects.toMatchObject({
    code: 'unknown_stage',
    details: { stage_ids: [stage] },
  });
});
