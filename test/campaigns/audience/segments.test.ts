import { describe, expect, it } from '@jest/globals';
import { freezeAudience } from '../../../src/campaigns/audience/freezing.ts';
import {
  pauseCampaign,
  resumeCampaign,
  sendCampaign,
} from '../../../src/campaigns/states/transitions.ts';
import { changeSegment } from '../../../src/segments/changing.ts';
import type { Rules } from '../../../src/segments/rules.ts';
import { setPlan } from '../../../src/workspaces/service.ts';
import { aContact } from '../../support/factories/contacts.ts';
import { aPipeline } from '../../support/factories/pipelines.ts';
import { aSegment } from '../../support/factories/segments.ts';
import { opened } from '../../support/opened.ts';
import { rowsOf } from '../../support/rows-of.ts';
import { acceptedBy, detailOf, drafted, freeze, type Made, sendAll } from '../support/running.ts';
import { openSendingTest, ordinaryPhones } from '../support/sending.ts';

const test = opened(openSendingTest);

const recipients = (made: Made): Promise<{ contact_id: string }[]> =>
  rowsOf(made.ctx, 'select contact_id from campaign_recipients order by id');

const listed = (made: Made): Promise<{ id: string }[]> =>
  rowsOf(made.ctx, 'select id from segments');

const EVERYBODY: Rules = { field: 'opted_out', op: 'is', value: false };

/** A draft to a segment, in a workspace with these many people. */
async function toSegment(count: number, rules: Rules, wishes: object = {}): Promise<Made> {
  const made = await drafted(test, ordinaryPhones(count), wishes);
  const { id } = await aSegment(made.ctx, { rules });
  await rowsOf(
    made.ctx,
    `update campaigns set target = 'segment', segment_id = $1, contact_ids = '{}'`,
    [id],
  );
  return made;
}

describe('a campaign to a segment', () => {
  it('keeps to the rules with which it began when they are changed while it is written down', async () => {
    const made = await toSegment(2_100, EVERYBODY);
    await sendCampaign(made.ctx, made.ref.campaignId);
    let pages = 0;
    const mayGoOn = () => pages++ < 1;
    expect(await freezeAudience(test.database, made.ref, { now: () => new Date(), mayGoOn })).toBe(
      false,
    );
    const [segment] = await listed(made);
    const nobody = { field: 'opted_out', op: 'is', value: true };
    await changeSegment(made.ctx, segment?.id ?? '', { name: 'Outro', rules: nobody });

    expect((await detailOf(test, made)).audience.eligible).toBe(2_100);
    expect(await freeze(test, made)).toBe(true);
    expect((await recipients(made)).length).toBe(2_100);
  });

  it('reaches whoever matched when it began: each once, and nobody who came later', async () => {
    const made = await toSegment(4_100, EVERYBODY);
    await rowsOf(made.ctx, `update contacts set opted_out = true where id = $1`, [
      made.contactIds[7],
    ]);
    await sendCampaign(made.ctx, made.ref.campaignId);
    await aContact(made.ctx, { name: 'Veio depois' });
    // Its own time was the context's; this one came a moment after the start.
    await rowsOf(
      made.ctx,
      `update contacts set created_at = now() + interval '1 second' where name = 'Veio depois'`,
    );

    expect(await freeze(test, made)).toBe(true);

    const ids = (await recipients(made)).map(({ contact_id }) => contact_id);
    expect(ids).toEqual(made.contactIds.filter((_, n) => n !== 7));
    expect((await detailOf(test, made)).audience).toMatchObject({
      status: 'frozen',
      total: 4_099,
      eligible: 4_099,
    });
  });

  it.each<[string, Rules, number]>([
    [
      'reaches who wrote last after it began',
      { field: 'last_inbound_at', op: 'in_last', value: 'P7D' },
      1,
    ],
    [
      'leaves alone who was written to after it began',
      { not: { field: 'last_outbound_at', op: 'in_last', value: 'P7D' } },
      0,
    ],
  ])('%s, by rules of who did in the last days', async (_, rules, reached) => {
    const made = await toSegment(1, rules);
    await sendCampaign(made.ctx, made.ref.campaignId);
    await pauseCampaign(made.ctx, made.ref.campaignId);
    await rowsOf(
      made.ctx,
      `update contacts set last_inbound_at = now() + interval '1 second', last_outbound_at = now() + interval '1 second'`,
    );
    await resumeCampaign(made.ctx, made.ref.campaignId);
    await freeze(test, made);

    expect(await recipients(made)).toHaveLength(reached);
  });

  it('goes on where it stood after a crash, and writes nobody down twice', async () => {
    const made = await toSegment(4_500, EVERYBODY);
    await sendCampaign(made.ctx, made.ref.campaignId);
    let pages = 0;
    const onePage = { now: () => new Date(), mayGoOn: () => pages++ < 1 };

    expect(await freezeAudience(test.database, made.ref, onePage)).toBe(false);
    expect(await recipients(made)).toHaveLength(2_000);
    await Promise.all([freeze(test, made), freeze(test, made)]);

    expect(await recipients(made)).toHaveLength(4_500);
    expect((await detailOf(test, made)).audience).toMatchObject({ total: 4_500, eligible: 4_500 });
  });

  it.each([
    'Oi {{first_name}}, {{custom.city}} {{custom.x|aí}}',
    // It says nothing to whoever has neither.
    '{{custom.city|}} {{custom.x|}}',
  ])('counts before it begins exactly whom %j will leave out, and why', async (text) => {
    const made = await toSegment(
      9,
      { field: 'name', op: 'starts_with', value: 'cliente' },
      {
        campaign: { text },
        number: { window: true },
      },
    );
    const [optedOut, blocked, noPhone, invalid, noWhatsApp, closed, noCity, blank] =
      made.contactIds;
    await rowsOf(made.ctx, `update contacts set custom = '{"city":["Recife","Olinda"]}'`);
    await rowsOf(
      made.ctx,
      `insert into conversations (organization_id, id, number_id, contact_id, opened_at, created_at, window_expires_at)
       select organization_id, replace(id, 'con_', 'cnv_'), $1, id, now(), now(), now() + case id when $2 then interval '1 minute' else interval '1 hour' end
       from contacts`,
      [made.numberId, closed],
    );
    for (const [set, id] of [
      ['opted_out = true, blocked = true', optedOut],
      ['blocked = true', blocked],
      ['phone = null, phone_key = null', noPhone],
      [`phone = '+0', phone_key = '0'`, invalid],
      [`whatsapp_status = 'invalid'`, noWhatsApp],
      [`custom = '{}'`, noCity],
      [`custom = '{"city":["  "]}'`, blank],
    ])
      await rowsOf(made.ctx, `update contacts set ${set} where id = $1`, [id]);

    const estimated = (await detailOf(test, made)).audience;
    await sendCampaign(made.ctx, made.ref.campaignId);
    await freeze(test, made);

    const { audience } = await detailOf(test, made);
    expect(audience).toMatchObject({ total: 9, eligible: 1 });
    expect(audience.excluded).toMatchObject({
      opted_out: 1,
      blocked: 1,
      no_phone: 1,
      invalid_phone: 1,
      no_whatsapp: 1,
      out_of_window: 1,
      missing_variable: 2,
    });
    expect(estimated).toEqual({ ...audience, status: 'estimated', frozen_at: null });
  });

  it('takes of the plan’s month whoever it reaches, and begins with none too many', async () => {
    const made = await toSegment(3, EVERYBODY);
    await setPlan(made.ctx, 'essencial');
    await rowsOf(
      made.ctx,
      `insert into campaigns (organization_id, id, name, number_id, target, text, created_by, created_at, started_at, frozen_at, total, status)
       select organization_id, 'cmp_old', 'x', number_id, 'contacts', 'x', '{}', now(), now(), now(), 2998, 'done' from campaigns`,
    );

    const refused = sendCampaign(made.ctx, made.ref.campaignId);

    await expect(refused).rejects.toMatchObject({
      code: 'quota',
      details: { limit: 3_000, used: 2_998, plan: 'essencial' },
    });
    await rowsOf(made.ctx, `update contacts set opted_out = true where id = $1`, [
      made.contactIds[0],
    ]);
    expect((await sendCampaign(made.ctx, made.ref.campaignId)).expected).toBe(2);
  });
});

describe('a campaign to a pipeline', () => {
  it('reaches everybody with an open deal there, or in the stages it names', async () => {
    const made = await drafted(test, ordinaryPhones(5));
    const pipeline = await aPipeline(made.ctx);
    const deal = (contact: number, stage: string, status = 'open') =>
      rowsOf(
        made.ctx,
        `insert into deals (organization_id, id, pipeline_id, stage_id, contact_id, title, status, stage_entered_at, created_at, updated_at)
         values ($1, $2, $3, $4, $5, '', $6, now(), now(), now())`,
        [
          made.ref.organizationId,
          `dea_${contact}_${stage}`,
          pipeline.id,
          pipeline.stages[stage],
          made.contactIds[contact],
          status,
        ],
      );
    await deal(0, 'Novo');
    await deal(0, 'Proposta');
    await deal(1, 'Proposta');
    await deal(2, 'Ganho', 'won');
    await rowsOf(
      made.ctx,
      `update campaigns set target = 'pipeline', pipeline_id = $1, contact_ids = '{}', stage_ids = $2`,
      [pipeline.id, [pipeline.stages['Novo']]],
    );

    expect((await detailOf(test, made)).audience).toMatchObject({ total: 1 });
    await rowsOf(made.ctx, `update campaigns set stage_ids = '{}'`);
    await sendCampaign(made.ctx, made.ref.campaignId);
    await freeze(test, made);
    await sendAll(test, made);

    expect(acceptedBy(test, made)).toHaveLength(2);
    expect(await detailOf(test, made)).toMatchObject({
      status: 'done',
      target: 'pipeline',
      pipeline_id: pipeline.id,
      audience: { total: 2, eligible: 2 },
    });
  });
});
