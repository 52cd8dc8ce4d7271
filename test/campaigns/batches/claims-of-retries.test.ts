import { describe, expect, it } from '@jest/globals';
import { claim, PLANNED_ONCE } from '../../../src/campaigns/batches/claims.ts';
import { retryCampaign } from '../../../src/campaigns/states/retrying.ts';
import { sendCampaign } from '../../../src/campaigns/states/transitions.ts';
import { inWorkspace } from '../../../src/db/database.ts';
import { opened } from '../../support/opened.ts';
import { rowsRead } from '../../support/rows-read.ts';
import { another, freeze, type Made, running, sendAll } from '../support/running.ts';
import { openSendingTest, ordinaryPhones } from '../support/sending.ts';

const test = opened(openSendingTest);

const OTHERS = 500;

/** A retry that is being sent, in a workspace with many other campaigns. */
async function aRetry(): Promise<Made> {
  const made = await running(test, ordinaryPhones(3));
  await sendAll(test, made);
  await test.sqlOf(made, (sql) => sql.rows(`update campaign_recipients set status = 'failed'`));
  // What these people got from another campaign makes each claim look which ones the retry's chain is of.
  const other = await another(made, made.contactIds);
  await sendCampaign(other.ctx, other.ref.campaignId);
  await freeze(test, other);
  await sendAll(test, other);
  await test.sqlOf(made, (sql) =>
    sql.rows(
      `insert into campaigns (organization_id, id, name, status, target, text, created_by, created_at)
       select $1, 'cmp_' || n, 'Aviso', 'done', 'contacts', 'Oi', '{}', now() from generate_series(1, $2::int) n`,
      [made.ref.organizationId, OTHERS],
    ),
  );
  const { id } = await retryCampaign(made.ctx, made.ref.campaignId, { statuses: ['failed'] });
  const retry = { ...made, ref: { ...made.ref, campaignId: id } };
  await sendCampaign(made.ctx, id);
  await freeze(test, retry);
  return retry;
}

describe('a claim of a retry', () => {
  it('reads the campaigns of its chain, and none of the others', async () => {
    const { ref, numberId } = await aRetry();
    const request = { ...ref, numberId, window24h: false, limitsRevision: 0, token: 'mine' };

    const [claimed, read] = await inWorkspace(
      test.database,
      ref.organizationId,
      async (sql) => {
        const before = await rowsRead(sql, ['campaigns']);
        const found = await claim(sql, { ...request, limit: 10, now: new Date() });
        return [found.claimed.length, (await rowsRead(sql, ['campaigns'])) - before];
      },
      PLANNED_ONCE,
    );

    expect(claimed).toBe(3);
    expect(read).toBeLessThan(OTHERS / 10);
  });
});
