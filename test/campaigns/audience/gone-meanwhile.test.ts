import { describe, expect, it } from '@jest/globals';
import type { PoolClient } from 'pg';
import { freezeAudience } from '../../../src/campaigns/audience/freezing.ts';
import { updateCampaign } from '../../../src/campaigns/service.ts';
import { sendCampaign } from '../../../src/campaigns/states/transitions.ts';
import { deleteContact } from '../../../src/contacts/deleting.ts';
import { mergeContacts } from '../../../src/contacts/merging/merging.ts';
import { untilWaiting } from '../../support/database.ts';
import { aSegment } from '../../support/factories/segments.ts';
import { opened } from '../../support/opened.ts';
import { rowsOf } from '../../support/rows-of.ts';
import { acceptedBy, drafted, type Made, sendAll } from '../support/running.ts';
import { openSendingTest, ordinaryPhones } from '../support/sending.ts';

const test = opened(openSendingTest);

/** The page has looked at its people, and writes them down once `change` is over, or waits for the page. */
async function frozenDuring(made: Made, change: () => Promise<unknown>): Promise<void> {
  let changing: Promise<unknown> | undefined;
  const begin = (): Promise<unknown> => {
    changing = change();
    return Promise.race([changing, untilWaiting(test.database.app)]);
  };
  const connect = async (): Promise<PoolClient> => {
    const client = await test.database.app.connect();
    const query = async (asked: { readonly name?: string }): Promise<unknown> => {
      if (asked.name === 'campaign-freeze') await begin();
      return client.query(asked as never);
    };
    return { query, release: () => client.release() } as never;
  };
  await freezeAudience({ app: { connect } as never }, made.ref, {
    now: () => new Date(),
    mayGoOn: () => true,
  });
  expect(changing).toBeDefined();
  await changing;
}

describe('a person who is gone while an audience is written down', () => {
  it('leaves neither phone nor text in it when deleted', async () => {
    const made = await drafted(test, ordinaryPhones(2), { campaign: { text: 'Oi {{name}}' } });
    const [gone = ''] = made.contactIds;
    await sendCampaign(made.ctx, made.ref.campaignId);

    await frozenDuring(made, () => deleteContact(made.ctx, gone, []));

    expect(
      await rowsOf(
        made.ctx,
        'select contact_id, phone, text, status from campaign_recipients order by id',
      ),
    ).toEqual([
      { contact_id: null, phone: '', text: '', status: 'skipped' },
      expect.objectContaining({ contact_id: made.contactIds[1], text: 'Oi Cliente 2' }),
    ]);
  });

  it('gets the message once as the one who stays when merged', async () => {
    const made = await drafted(test, ordinaryPhones(3));
    const { id } = await aSegment(made.ctx, {
      rules: { not: { field: 'tag', op: 'has_any', value: ['vip'] } },
    });
    await updateCampaign(made.ctx, made.ref.campaignId, { target: 'segment', segment_id: id });
    const [survivor = '', other = ''] = made.contactIds;
    await rowsOf(made.ctx, 'delete from contact_identities where contact_id = $1', [survivor]);
    await rowsOf(made.ctx, 'update contacts set phone = null, phone_key = null where id = $1', [
      survivor,
    ]);
    await sendCampaign(made.ctx, made.ref.campaignId);

    await frozenDuring(made, () => mergeContacts(made.ctx, survivor, other));
    await sendAll(test, made);

    expect(acceptedBy(test, made)).toHaveLength(2);
    expect(
      await rowsOf(made.ctx, 'select contact_id, status from campaign_recipients order by id'),
    ).toEqual([
      { contact_id: survivor, status: 'sent' },
      { contact_id: made.contactIds[2], status: 'sent' },
    ]);
  });
});
