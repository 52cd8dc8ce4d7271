import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pauseCampaign, resumeCampaign } from '../../../src/campaigns/states/transitions.ts';
import { updateContact } from '../../../src/contacts/changing.ts';
import { mergeContacts } from '../../../src/contacts/merging/merging.ts';
import { inWorkspace } from '../../../src/db/database.ts';
import { aContact } from '../../support/factories/contacts.ts';
import { acceptedBy, type Made, running, sendAll } from '../support/running.ts';
import { openSendingTest, ordinaryPhones, type SendingTest } from '../support/sending.ts';

let test: SendingTest;
beforeAll(async () => {
  test = await openSendingTest();
});
afterAll(() => test.close());

/** A frozen campaign that is sent once its people have changed. */
async function sentAfter(count: number, change: (made: Made) => Promise<unknown>) {
  const made = await running(test, ordinaryPhones(count));
  await pauseCampaign(made.ctx, made.ref.campaignId);
  await change(made);
  await resumeCampaign(made.ctx, made.ref.campaignId);
  await sendAll(test, made);
  const outcomes = await inWorkspace(test.database, made.ref.organizationId, (sql) =>
    sql.rows<{ status: string; reason: string | null }>(
      'select status, reason from campaign_recipients order by phone',
    ),
  );
  return {
    outcomes: outcomes.map(({ status, reason }) => reason ?? status),
    sentTo: acceptedBy(test, made)
      .map(({ to }) => to)
      .toSorted(),
  };
}

describe('a person whose phone changes after the freezing', () => {
  it('gets nothing: the old phone may be a stranger’s', async () => {
    const phones = ordinaryPhones(3);
    const { outcomes, sentTo } = await sentAfter(3, async ({ ctx, contactIds }) => {
      await updateContact(ctx, contactIds[0] ?? '', { phone: '+5511970000001' });
      await updateContact(ctx, contactIds[1] ?? '', { phone: '' });
    });

    expect(outcomes).toEqual(['no_recipient', 'no_recipient', 'sent']);
    expect(sentTo).toEqual([phones[2]?.slice(1)]);
  });

  it('gets it where only the spelling changes, or the phone becomes a second one by a merge', async () => {
    const { outcomes } = await sentAfter(
      2,
      async ({ ctx, contactIds: [respelled = '', merged = ''] }) => {
        const [phone = ''] = ordinaryPhones(1);
        await updateContact(ctx, respelled, { phone: phone.replace(/^(\+55\d\d)9/, '$1') });
        const { id } = await aContact(ctx, { phone: '+5511970000002' });
        await mergeContacts(ctx, id, merged);
      },
    );

    expect(outcomes).toEqual(['sent', 'sent']);
  });
});
