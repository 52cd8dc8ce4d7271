import { describe, expect, it } from '@jest/globals';
import { freezeAudience } from '../../../src/campaigns/audience/freezing.ts';
import {
  pauseCampaign,
  resumeCampaign,
  sendCampaign,
} from '../../../src/campaigns/states/transitions.ts';
import { mergeContacts } from '../../../src/contacts/merging/merging.ts';
import { opened } from '../../support/opened.ts';
import { rowsOf } from '../../support/rows-of.ts';
import { detailOf, drafted, freeze, type Made } from '../support/running.ts';
import { openSendingTest, ordinaryPhones } from '../support/sending.ts';

const test = opened(openSendingTest);

const recipients = (made: Made) =>
  rowsOf<{ contact_id: string; phone: string; text: string }>(
    made.ctx,
    'select contact_id, phone, text from campaign_recipients order by id',
  );

describe('freezing an audience', () => {
  it('writes everybody down once, in order, with their own text', async () => {
    const made = await drafted(test, ordinaryPhones(1_203), {
      campaign: { text: 'Oi {{name}}' },
    });
    await sendCampaign(made.ctx, made.ref.campaignId);

    expect(await freeze(test, made)).toBe(true);

    const rows = await recipients(made);
    expect(rows.map((row) => row.contact_id)).toEqual(made.contactIds);
    expect(rows[1_202]?.text).toBe('Oi Cliente 1203');
    expect((await detailOf(test, made)).audience).toMatchObject({
      status: 'frozen',
      total: 1_203,
      eligible: 1_203,
    });
  });

  it('leaves out whoever must not, cannot or need not get it, and says why', async () => {
    const made = await drafted(test, ordinaryPhones(8), {
      campaign: { text: 'Oi {{custom.city}}' },
    });
    const [optedOut, blocked, noPhone, invalid, noWhatsApp, noCity, ok] = made.contactIds;
    await rowsOf(made.ctx, `update contacts set custom = '{"city":"Recife"}' where id <> $1`, [
      noCity,
    ]);
    await rowsOf(made.ctx, 'update contacts set opted_out = true, blocked = true where id = $1', [
      optedOut,
    ]);
    await rowsOf(made.ctx, 'update contacts set blocked = true where id = $1', [blocked]);
    await rowsOf(made.ctx, 'update contacts set phone = null, phone_key = null where id = $1', [
      noPhone,
    ]);
    await rowsOf(made.ctx, `update contacts set phone = '+0', phone_key = '0' where id = $1`, [
      invalid,
    ]);
    await rowsOf(made.ctx, `update contacts set whatsapp_status = 'invalid' where id = $1`, [
      noWhatsApp,
    ]);
    await rowsOf(
      made.ctx,
      `update campaigns set contact_ids = contact_ids || $1::text || 'con_gone'::text`,
      [ok],
    );
    await sendCampaign(made.ctx, made.ref.campaignId);

    const estimated = (await detailOf(test, made)).audience;
    await freeze(test, made);

    const { audience } = await detailOf(test, made);
    expect(audience).toMatchObject({ status: 'frozen', total: 10, eligible: 2 });
    expect(audience.excluded).toEqual({
      opted_out: 1,
      blocked: 1,
      no_phone: 2,
      invalid_phone: 1,
      duplicate: 1,
      no_whatsapp: 1,
      out_of_window: 0,
      missing_variable: 1,
      frequency_cap: 0,
      left_group: 0,
    });
    expect(estimated).toEqual({ ...audience, status: 'estimated', frozen_at: null });
  });

  it('on a number with a window reaches only whoever wrote within it', async () => {
    const made = await drafted(test, ordinaryPhones(3), { number: { window: true } });
    const [inside, closing] = made.contactIds;
    const open = `insert into conversations (organization_id, id, number_id, contact_id, opened_at, created_at, window_expires_at)
      values ($1, $2, $3, $4, now(), now(), now() + $5::interval)`;
    const { organizationId } = made.ref;
    await rowsOf(made.ctx, open, [organizationId, 'cnv_1', made.numberId, inside, '1 hour']);
    await rowsOf(made.ctx, open, [organizationId, 'cnv_2', made.numberId, closing, '1 minute']);
    await sendCampaign(made.ctx, made.ref.campaignId);

    await freeze(test, made);

    const { audience } = await detailOf(test, made);
    expect(audience).toMatchObject({ eligible: 1, excluded: { out_of_window: 2 } });
    expect((await recipients(made)).map((row) => row.contact_id)).toEqual([inside]);
  });

  it('goes on where it stood after a pause or a crash, and counts nobody twice', async () => {
    const made = await drafted(test, ordinaryPhones(1_100));
    await sendCampaign(made.ctx, made.ref.campaignId);
    let pages = 0;
    const onePage = { now: () => new Date(), mayGoOn: () => pages++ < 1 };

    expect(await freezeAudience(test.database, made.ref, onePage)).toBe(false);
    await pauseCampaign(made.ctx, made.ref.campaignId);
    expect(await freeze(test, made)).toBe(false);
    expect(await recipients(made)).toHaveLength(500);
    await resumeCampaign(made.ctx, made.ref.campaignId);
    await Promise.all([freeze(test, made), freeze(test, made)]);

    expect(await recipients(made)).toHaveLength(1_100);
    expect((await detailOf(test, made)).audience).toMatchObject({ total: 1_100, eligible: 1_100 });
  });

  it('writes two who become one meanwhile down once', async () => {
    const made = await drafted(test, ordinaryPhones(502));
    const goes = made.contactIds[0] ?? '';
    const stays = made.contactIds[501] ?? '';
    await sendCampaign(made.ctx, made.ref.campaignId);
    let pages = 0;
    const onePage = { now: () => new Date(), mayGoOn: () => pages++ < 1 };
    await freezeAudience(test.database, made.ref, onePage);

    await mergeContacts({ ...made.ctx, now: new Date() }, stays, goes);
    await freeze(test, made);

    const reached = (await recipients(made)).map((row) => row.contact_id);
    expect(reached.filter((id) => id === stays)).toHaveLength(1);
    expect((await detailOf(test, made)).audience).toMatchObject({
      total: 502,
      eligible: 501,
      excluded: { duplicate: 1 },
    });
  });
});
