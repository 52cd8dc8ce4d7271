import { describe, expect, it } from '@jest/globals';
import { retryCampaign } from '../../src/campaigns/states/retrying.ts';
import { sendCampaign } from '../../src/campaigns/states/transitions.ts';
import { mergeContacts } from '../../src/contacts/merging/merging.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { numbersReport } from '../../src/reports/numbers.ts';
import { freeze, type Made, running, sendAll } from '../campaigns/support/running.ts';
import { openSendingTest, ordinaryPhones } from '../campaigns/support/sending.ts';
import { itIsNoon } from '../support/noon.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';

const test = opened(openSendingTest);

async function today({ ctx, ref }: Made): Promise<unknown> {
  await itIsNoon(ctx);
  const { attempted, lost, reasons } = await inWorkspace(test.database, ref.organizationId, (sql) =>
    numbersReport({ ...ctx, now: new Date(), sql }, { period: 'today' }),
  );
  return { attempted, lost, no_recipient: reasons.no_recipient };
}

/** Those of the recipients who are left out, and why. */
const leftOut = ({ ref }: Made): Promise<unknown> =>
  inWorkspace(test.database, ref.organizationId, (sql) =>
    sql.rows(
      `select reason from campaign_recipients where campaign_id = $1 and status = 'skipped'`,
      [ref.campaignId],
    ),
  );

describe('a recipient who is left out as a duplicate', () => {
  it('is not lost: whoever is merged with another recipient gets the one message', async () => {
    const made = await running(test, ordinaryPhones(2));
    const [stays = '', goes = ''] = made.contactIds;

    await mergeContacts({ ...made.ctx, now: new Date() }, stays, goes);
    await sendAll(test, made);

    expect(await leftOut(made)).toEqual([{ reason: 'duplicate' }]);
    expect(await today(made)).toEqual({ attempted: 1, lost: 0, no_recipient: 0 });
  });

  it('is not lost: a retry passes over whom the first campaign reached after all', async () => {
    const made = await running(test, ordinaryPhones(1));
    await sendAll(test, made);
    const turn = (status: string): Promise<unknown> =>
      rowsOf(made.ctx, 'update campaign_recipients set status = $2 where campaign_id = $1', [
        made.ref.campaignId,
        status,
      ]);
    await turn('unconfirmed');
    const { id } = await retryCampaign(made.ctx, made.ref.campaignId, {
      statuses: ['unconfirmed'],
    });
    const retry = { ...made, ref: { ...made.ref, campaignId: id } };
    await sendCampaign(retry.ctx, id);
    await freeze(test, retry);
    await turn('delivered');

    await sendAll(test, retry);

    expect(await leftOut(retry)).toEqual([{ reason: 'duplicate' }]);
    expect(await today(retry)).toEqual({ attempted: 1, lost: 0, no_recipient: 0 });
  });
});
