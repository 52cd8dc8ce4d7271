import { expect, it } from '@jest/globals';
import type { Context } from '../../src/context.ts';
import { transact } from '../../src/db/transact.ts';
import { removePipeline } from '../../src/pipelines/removing.ts';
import { createDeal } from '../../src/pipelines/service.ts';
import { openOwnDatabase, statementsWaiting } from '../support/database.ts';
import { aCampaign } from '../support/factories/campaigns.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { type APipeline, aPipeline } from '../support/factories/pipelines.ts';
import { aSegment } from '../support/factories/segments.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { opened } from '../support/opened.ts';
import { eventually } from '../support/waiting.ts';

const database = opened(openOwnDatabase);

type Use = (tx: Context, sales: APipeline, at: { numberId: string; contactId: string }) => unknown;

it.each<[string, Use]>([
  [
    'segments',
    (tx, { id }) => aSegment(tx, { rules: { field: 'pipeline', op: 'has_any', value: [id] } }),
  ],
  [
    'campaigns',
    (tx, { id }, { numberId }) =>
      aCampaign(tx, {
        target: 'pipeline',
        pipeline_id: id,
        stage_ids: [],
        number_id: numberId,
        contact_ids: [],
      }),
  ],
  [
    'deals',
    (tx, { stages }, { contactId: contact_id }) =>
      createDeal(tx, { stage_id: stages['Novo'] ?? '', contact_id }),
  ],
])('a pipeline is not removed while one of its %s is being written', async (noun, use) => {
  const { ctx } = await aWorkspace(database);
  const sales = await aPipeline(ctx);
  const numberId = (await aNumber(ctx)).id;
  const contactId = (await aContact(ctx)).id;

  const { removal } = await transact(ctx, async (tx) => {
    await use(tx, sales, { numberId, contactId });
    const removal = removePipeline(ctx, sales.id).catch((error: unknown) => error);
    await eventually(async () => (await statementsWaiting(database.app)) > 0);
    return { removal };
  });

  expect(await removal).toMatchObject({ code: 'in_use', details: { used_by: { [noun]: 1 } } });
});
