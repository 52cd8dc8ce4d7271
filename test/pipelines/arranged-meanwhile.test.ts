import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Context } from '../../src/context.ts';
import { transact } from '../../src/db/transact.ts';
import { moveStage } from '../../src/pipelines/managing.ts';
import { holdStage } from '../../src/pipelines/queries.ts';
import { createDeal, moveDeal } from '../../src/pipelines/service.ts';
import { openOwnDatabase, untilWaiting } from '../support/database.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aPipeline } from '../support/factories/pipelines.ts';
import { aSegment } from '../support/factories/segments.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { opened } from '../support/opened.ts';

const database = opened(openOwnDatabase);
let ctx: Context;
beforeEach(async () => {
  ({ ctx } = await aWorkspace(database));
});

const again = (): Context => ({ ...ctx, em: ctx.em.fork() });

/** Two of its stages, the first of them also by its id. */
async function twoStages(): Promise<{ first: string; second: string }> {
  for (let n = 1; ; n += 1) {
    const { Novo: first = '', Proposta: second = '' } = (await aPipeline(ctx, `Vendas ${n}`))
      .stages;
    if (first < second) return { first, second };
  }
}

describe('stages are put into another order', () => {
  it('while a deal is moved from one to the other', async () => {
    const { first, second } = await twoStages();
    const { id: contact_id } = await aContact(ctx);
    const { id } = await createDeal(ctx, { stage_id: first, contact_id });

    const { arranged } = await transact(again(), async (tx) => {
      await holdStage(tx, first);
      const arranged = moveStage(again(), second, 0);
      await untilWaiting(database.system);
      await moveDeal(tx, id, { stage_id: second });
      return { arranged };
    });

    expect((await arranged).stages.map((stage) => stage.id).slice(0, 2)).toEqual([second, first]);
  });

  it('while a segment is written that names them', async () => {
    const { first, second } = await twoStages();

    const { written, arranged } = await transact(again(), async (tx) => {
      await tx.sql.rows('select from stages where id = $1 for update', [second]);
      const arranged = moveStage(again(), second, 0);
      await untilWaiting(database.system);
      const rules = { field: 'stage', op: 'has_any', value: [first, second] } as const;
      const written = aSegment(again(), { rules });
      await untilWaiting(database.system, 2);
      return { written, arranged };
    });

    await written;
    expect((await arranged).stages.map((stage) => stage.id).slice(0, 2)).toEqual([second, first]);
  });
});
