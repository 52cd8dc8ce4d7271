import type { Context } from '../../../src/context.ts';
import { transact } from '../../../src/db/transact.ts';
import { newId } from '../../../src/ids.ts';
import { aCampaign } from '../../support/factories/campaigns.ts';
import { aContact } from '../../support/factories/contacts.ts';
import { aNumber } from '../../support/factories/numbers.ts';
import { aMember } from '../../support/members.ts';
import type { World } from './people.ts';

/** Numbers, teams, members, a pipeline and campaigns of a workspace. */
export async function aWorld(ctx: Context): Promise<World> {
  const windowless = (await aNumber(ctx)).id;
  const numbers = [windowless, (await aNumber(ctx, { name: 'Suporte', window: true })).id];
  const one = await aMember(ctx, { teams: ['Vendas'] });
  const two = await aMember(ctx, { teams: ['Suporte'] });
  const { id } = await aContact(ctx);
  const input = { number_id: numbers[0] ?? '', contact_ids: [id] };
  const campaigns = [(await aCampaign(ctx, input)).id, (await aCampaign(ctx, input)).id];
  const pipelineId = newId('pip');
  const stages = [newId('stg'), newId('stg'), newId('stg')];
  await transact(ctx, async ({ sql, organizationId }) => {
    await sql.rows(
      `insert into pipelines (organization_id, id, name, created_at) values ($1, $2, 'Vendas', now())`,
      [organizationId, pipelineId],
    );
    for (const [position, stage] of stages.entries())
      await sql.rows(
        `insert into stages (organization_id, id, pipeline_id, name, kind, position, created_at)
         values ($1, $2, $3, $2, $4, $5, now())`,
        [organizationId, stage, pipelineId, ['open', 'won', 'lost'][position], position],
      );
    await sql.rows('delete from contacts where organization_id = $1', [organizationId]);
  });
  return {
    numbers,
    windowless,
    teams: [...one.teamIds, ...two.teamIds],
    members: [one.id, two.id],
    pipelineId,
    stages,
    campaigns,
  };
}
