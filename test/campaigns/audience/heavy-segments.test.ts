import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { previewCampaign } from '../../../src/campaigns/audience/previewing.ts';
import { readCampaign } from '../../../src/campaigns/reading.ts';
import { scheduleCampaign, sendCampaign } from '../../../src/campaigns/states/transitions.ts';
import { inWorkspace } from '../../../src/db/database.ts';
import { previewSegment } from '../../../src/segments/service.ts';
import { type OwnDatabase, openOwnDatabase } from '../../support/database.ts';
import { aCampaign } from '../../support/factories/campaigns.ts';
import { aContact } from '../../support/factories/contacts.ts';
import { aNumber } from '../../support/factories/numbers.ts';
import { aSegment } from '../../support/factories/segments.ts';
import { aWorkspace } from '../../support/factories/workspaces.ts';
import { rowsOf } from '../../support/rows-of.ts';

let database: OwnDatabase;
let owner: pg.Client;
beforeAll(async () => {
  database = await openOwnDatabase({ poolSize: 3 });
  owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await database.close();
});

// Whoever asks about deals waits for ever: as good as rules that take too long.
beforeEach(() => owner.query('begin'));
afterEach(() => owner.query('rollback'));
const holdDeals = () => owner.query('lock table deals in access exclusive mode');

const NO_DEAL = { field: 'deal.status', op: 'has_none', value: ['open'] } as const;

async function aSegmentCampaign() {
  const { ctx } = await aWorkspace(database);
  const number = await aNumber(ctx);
  for (let n = 0; n < 3; n++) await aContact(ctx);
  const { id } = await aSegment(ctx, { rules: NO_DEAL });
  const campaign = await aCampaign(ctx, {
    number_id: number.id,
    target: 'segment',
    segment_id: id,
    contact_ids: [],
  });
  return { ctx, id: campaign.id };
}

async function aHeavyCampaign() {
  const campaign = await aSegmentCampaign();
  await holdDeals();
  return campaign;
}

describe('a segment whose rules take too long', () => {
  it('is refused in a preview after five seconds: segment_too_heavy', async () => {
    const { ctx, id } = await aHeavyCampaign();

    const answers = await Promise.allSettled([
      previewSegment(ctx, NO_DEAL),
      previewCampaign({ ...ctx, em: ctx.em.fork() }, id),
    ]);

    expect(answers).toMatchObject([
      { status: 'rejected', reason: { code: 'segment_too_heavy' } },
      { status: 'rejected', reason: { code: 'segment_too_heavy' } },
    ]);
  });

  it('does not keep a campaign from being sent: the last count stands for the plan’s month', async () => {
    const { ctx, id } = await aHeavyCampaign();

    const campaign = await sendCampaign(ctx, id);

    expect([campaign.status, campaign.expected]).toEqual(['sending', 3]);
    const kept = await rowsOf(ctx, 'select status, expected from campaigns');
    expect(kept).toEqual([{ status: 'sending', expected: 3 }]);
  });

  it('is read with the last count, also inside a transaction, as agents do', async () => {
    const { ctx, id } = await aSegmentCampaign();
    await scheduleCampaign(ctx, id, { when: new Date(Date.now() + 3_600_000).toISOString() });
    await holdDeals();

    const read = await inWorkspace(database, ctx.organizationId, (sql) =>
      readCampaign({ ...ctx, sql }, id),
    );

    expect(read).toMatchObject({ status: 'scheduled', audience: { total: 3 } });
  });
});
