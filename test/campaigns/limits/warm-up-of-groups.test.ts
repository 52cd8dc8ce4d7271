import { describe, expect, it } from '@jest/globals';
import { sendBatch } from '../../../src/campaigns/batches/sending.ts';
import { readCampaign } from '../../../src/campaigns/reading.ts';
import { sendCampaign } from '../../../src/campaigns/states/transitions.ts';
import { inWorkspace } from '../../../src/db/database.ts';
import type { Gateway } from '../../../src/gateway/port.ts';
import { aCampaign } from '../../support/factories/campaigns.ts';
import { opened } from '../../support/opened.ts';
import { rowsOf } from '../../support/rows-of.ts';
import { aGroupOf } from '../support/groups.ts';
import { detailOf, drafted, freeze, type Made } from '../support/running.ts';
import { openSendingTest, ordinaryPhones, untilDone } from '../support/sending.ts';

const test = opened(openSendingTest);

/** To one group, of a phone that may write to no new people any more on this day, as SQL has it. */
async function begunWhere(day: string): Promise<Made> {
  const made = await drafted(test, ordinaryPhones(1));
  const { ctx, numberId } = made;
  await rowsOf(ctx, "update numbers set provider = 'paired'");
  await rowsOf(
    ctx,
    `insert into first_contacts (organization_id, number_id, contact_id, day)
     select w.organization_id, $1, 'con_' || i, ${day} from workspaces w, generate_series(1, 20) i`,
    [numberId],
  );
  const group_ids = [(await aGroupOf(ctx, numberId)).id];
  const whom = { target: 'groups', contact_ids: [], group_ids } as const;
  const { id } = await aCampaign(ctx, { number_id: numberId, ...whom, text: 'Oi', pace: 10 });
  const begun = { ...made, ref: { ...made.ref, campaignId: id } };
  await sendCampaign(ctx, id);
  await freeze(test, begun);
  return begun;
}

describe('a campaign to groups', () => {
  it('is put off to no other day by a phone’s warm-up, which is about people', async () => {
    const made = await begunWhere('(now() at time zone w.time_zone)::date');
    const later = { scope: 'recipient', reason: 'throttled', providerCode: 131056 } as const;
    const send: Gateway['send'] = async () => ({
      kind: 'throttled',
      ...later,
      retryAfterMs: 60_000,
    });
    const deps = test.through({ ...test.deps.gateway, send });

    await sendBatch(deps, made.ref, untilDone);
    await rowsOf(made.ctx, 'delete from pacers');
    const nobody = await sendBatch(deps, made.ref, untilDone);

    expect(nobody).toMatchObject({ stage: 'sending', left: 1, waitingFor: 'another_try' });
    expect((await detailOf(test, made)).waiting_until).toBeNull();
  });

  it('is foreseen to end on the day on which the warm-up has no room for people', async () => {
    const made = await begunWhere("date '2031-06-10'");
    const now = new Date('2031-06-10T15:00:00.000Z');

    const { estimated_finish_at } = await inWorkspace(
      test.database,
      made.ref.organizationId,
      (sql) => readCampaign({ ...made.ctx, sql, now }, made.ref.campaignId),
    );

    expect(estimated_finish_at).toBe(now.toISOString());
  });
});
