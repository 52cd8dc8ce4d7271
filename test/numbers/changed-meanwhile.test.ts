import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Context } from '../../src/context.ts';
import { transact } from '../../src/db/transact.ts';
import { removeTeam } from '../../src/members/removing.ts';
import { addTeam } from '../../src/members/teams.ts';
import { updateNumber } from '../../src/numbers/changing.ts';
import type { NumberPatch } from '../../src/numbers/schema.ts';
import { removeStage } from '../../src/pipelines/managing.ts';
import { openOwnDatabase, untilWaiting } from '../support/database.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aPipeline } from '../support/factories/pipelines.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { opened } from '../support/opened.ts';

const database = opened(openOwnDatabase);
let ctx: Context;
let id: string;
let team: string;
beforeEach(async () => {
  ({ ctx } = await aWorkspace(database));
  ({ id } = await aNumber(ctx));
  team = (await addTeam(ctx, 'Vendas')).id;
});

/** The answer to a change that comes before the removal of something is committed. */
async function changed(
  patch: NumberPatch,
  remove: (tx: Context) => Promise<unknown>,
): Promise<unknown> {
  const { answer } = await transact(ctx, async (tx) => {
    await remove(tx);
    const other = { ...ctx, em: ctx.em.fork() };
    const answer = updateNumber(other, id, patch).catch((error: unknown) => error);
    await untilWaiting(database.app);
    return { answer };
  });
  return answer;
}

describe('a number that is changed while', () => {
  it('a team of it is removed has it no longer', async () => {
    await updateNumber(ctx, id, { team_ids: [team] });

    const answer = await changed({ name: 'Loja' }, (tx) => removeTeam(tx, team));

    expect(answer).toMatchObject({ name: 'Loja', team_ids: [] });
  });

  it('the team that it is to get is removed is refused it', async () => {
    const answer = await changed({ team_ids: [team] }, (tx) => removeTeam(tx, team));

    expect(answer).toMatchObject({ code: 'unknown_team', details: { team_ids: [team] } });
  });

  it('the stage that it is to get is removed is refused it', async () => {
    const { Proposta: stage_id = '' } = (await aPipeline(ctx)).stages;

    const answer = await changed({ stage_id }, (tx) => removeStage(tx, stage_id));

    expect(answer).toMatchObject({ code: 'unknown_stage', details: { stage_id } });
  });
});
