import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readCampaign } from '../../src/campaigns/reading.ts';
import type { Context } from '../../src/context.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { analyze } from '../support/analyzing.ts';
import { type OwnDatabase, openOwnDatabase } from '../support/database.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { rowsRead } from '../support/rows-read.ts';

const RECIPIENTS = 3_000;
/** What is read of a few recipients beside. */
const ROWS = 10;

let database: OwnDatabase;
let ctx: Context;

const CAMPAIGN = `
insert into campaigns (organization_id, id, name, status, number_id, target, text, created_by, created_at, started_at, frozen_at, finished_at, total)
values ($1, $2, 'Black Friday', $3, $4, 'contacts', 'Oi', '{}', now(), now(), now(), case when $3 = 'done' then now() end, ${RECIPIENTS})`;

/** A third has not got it yet, unless it is done; one of each hundred answered, and one of each thousand failed. */
const PEOPLE = `
insert into campaign_recipients (organization_id, campaign_id, id, identity_key, phone, text, status, reason, settled_at, replied_at)
select $1, $2, 'rcp_' || lpad(n::text, 26, '0'), '+55119' || (70000000 + n), '+55119' || (70000000 + n), 'Oi',
  case when n % 1000 = 0 then 'failed' when n % 3 = 0 and $3 then 'pending' when n % 2 = 0 then 'read' else 'sent' end,
  case when n % 1000 = 0 then 'no_whatsapp' end,
  case when n % 3 <> 0 or not $3 then now() end, case when n % 100 = 1 then now() end
from generate_series(1, ${RECIPIENTS}) n`;

const STATUSES = ['sending', 'done'] as const;

beforeAll(async () => {
  database = await openOwnDatabase({ poolSize: 3 });
  ({ ctx } = await aWorkspace(database));
  const { organizationId } = ctx;
  const { id: numberId } = await aNumber(ctx);
  await inWorkspace(database, organizationId, async (sql) => {
    for (const status of STATUSES) {
      const id = `cmp_${status}`;
      await sql.rows(CAMPAIGN, [organizationId, id, status, numberId]);
      await sql.rows(PEOPLE, [organizationId, id, status === 'sending']);
    }
  });
  await analyze(database.url, 'campaigns', 'campaign_recipients');
});
afterAll(() => database.close());

describe('a campaign to thousands of people', () => {
  it.each([
    ['sending', { pending: 999, sent: 1_000, read: 998 }],
    ['done', { pending: 0, sent: 1_500, read: 1_497 }],
  ] as const)('is told of by reading each of them once, while %s', async (status, results) => {
    const { seen, read } = await inWorkspace(database, ctx.organizationId, async (sql) => {
      const before = await rowsRead(sql, ['campaign_recipients']);
      const campaign = await readCampaign({ ...ctx, sql }, `cmp_${status}`);
      return { seen: campaign, read: (await rowsRead(sql, ['campaign_recipients'])) - before };
    });

    expect(seen.results).toMatchObject({ ...results, failed: 3, replied: 30 });
    expect(seen.results.reasons).toMatchObject({ no_whatsapp: 3 });
    expect(read).toBeLessThan(RECIPIENTS + ROWS);
  });
});
