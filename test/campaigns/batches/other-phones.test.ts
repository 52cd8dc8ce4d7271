import { describe, expect, it } from '@jest/globals';
import {
  pauseCampaign,
  resumeCampaign,
  sendCampaign,
} from '../../../src/campaigns/states/transitions.ts';
import { updateContact } from '../../../src/contacts/changing.ts';
import { mergeContacts } from '../../../src/contacts/merging/merging.ts';
import { inWorkspace } from '../../../src/db/database.ts';
import { aContact } from '../../support/factories/contacts.ts';
import { opened } from '../../support/opened.ts';
import { acceptedBy, drafted, freeze, type Made, running, sendAll } from '../support/running.ts';
import { openSendingTest, ordinaryPhones } from '../support/sending.ts';

const test = opened(openSendingTest);

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

it('within the 24-hour window it goes to the phone that wrote, if that is still the person’s', async () => {
  const [own = '', other = '', lost = ''] = ordinaryPhones(3);
  const made = await drafted(test, [own, other, lost]);
  const { ctx, ref, numberId, contactIds } = made;
  const second = await aContact(ctx, { phone: '+5511982000104' });
  await mergeContacts(ctx, contactIds[1] ?? '', second.id);
  await inWorkspace(test.database, ref.organizationId, async (sql) => {
    await sql.rows('update numbers set window_24h = true');
    await sql.rows(
      `insert into conversations (organization_id, id, number_id, contact_id, opened_at, created_at, updated_at,
         window_expires_at, wrote_from)
       select $1, 'cnv_' || g.contact_id, $2, g.contact_id, now(), now(), now(), now() + interval '1 hour', g.wrote
       from unnest($3::text[], $4::text[]) g (contact_id, wrote)`,
      [ref.organizationId, numberId, contactIds, [own, '+5511982000104', '+5511982000105']],
    );
  });

  await sendCampaign(ctx, ref.campaignId);
  await freeze(test, made);
  await sendAll(test, made);

  const sentTo = acceptedBy(test, made).map(({ to }) => `+${to}`);
  expect(sentTo.toSorted()).toEqual([own, '+5511982000104', lost].toSorted());
});
