import { describe, expect, it } from '@jest/globals';
import { previewCampaign } from '../../../src/campaigns/audience/previewing.ts';
import { sendBatch } from '../../../src/campaigns/batches/sending.ts';
import { setDailyLimit } from '../../../src/campaigns/limits/daily-limit.ts';
import { countClaimed, roomsOn } from '../../../src/campaigns/limits/day-limits.ts';
import { dayOf } from '../../../src/campaigns/limits/quiet-hours.ts';
import { holdToQuota } from '../../../src/campaigns/states/by-itself.ts';
import {
  pauseCampaign,
  resumeCampaign,
  sendCampaign,
} from '../../../src/campaigns/states/transitions.ts';
import { deleteContact } from '../../../src/contacts/deleting.ts';
import { mergeContacts } from '../../../src/contacts/merging/merging.ts';
import { inWorkspace } from '../../../src/db/database.ts';
import { setPlan } from '../../../src/workspaces/service.ts';
import { aCampaign } from '../../support/factories/campaigns.ts';
import { aSegment } from '../../support/factories/segments.ts';
import { opened } from '../../support/opened.ts';
import { auditOf, rowsOf } from '../../support/rows-of.ts';
import { detailOf, drafted, freeze, type Made, running, sendAll } from '../support/running.ts';
import { openSendingTest, ordinaryPhones, untilDone } from '../support/sending.ts';
import { begin, pair, skippedFrom, skipThrough } from '../support/skipping.ts';

const test = opened(openSendingTest);

const change = <R>(made: Made, text: string, params: unknown[] = []) =>
  rowsOf<R>(made.ctx, text, params);

/** The simulator refuses these with the code that their digits spell. */
const refusedWith = (code: string, count: number): string[] =>
  Array.from({ length: count }, (_, n) => `+55${21 + n}980${code}`);

describe('a template that WhatsApp', () => {
  it.each([
    ['paused', '132015'],
    ['disabled', '132016'],
    ['does not take from the account', '131063'],
  ])('%s pauses the campaign, and burns no recipient', async (_, code) => {
    const made = await running(test, [...refusedWith(code, 1), ...ordinaryPhones(200)]);

    const progress = await sendAll(test, made);

    expect(progress.stage).toBe('paused');
    const { pause_reason: reason, results } = await detailOf(test, made);
    expect(reason).toBe('template_paused');
    expect(results).toMatchObject({ failed: 0, sending: 0, unconfirmed: 0 });
    expect(results.pending).toBe(201 - results.sent);
  });
});

describe('people to whom the number wrote too much (131056)', () => {
  it('wait by themselves: neither the number nor anybody else does', async () => {
    const made = await running(test, [...refusedWith('131056', 12), ...ordinaryPhones(20)]);

    const progress = await sendBatch(test.deps, made.ref, untilDone);

    expect(progress).toMatchObject({ stage: 'sending', sent: 20, left: 12 });
    expect(progress.waitMs).toBeGreaterThan(0);
    expect(progress.waitMs).toBeLessThanOrEqual(6_000);
    expect(await change(made, 'select 1 from pacers where held_until is not null')).toEqual([]);
    const waiting = await change<{ attempts: number }>(
      made,
      `select attempts from campaign_recipients where status = 'pending' and not_before > now()`,
    );
    expect(waiting).toEqual(Array.from({ length: 12 }, () => ({ attempts: 1 })));
  });
});

describe('a day of a number', () => {
  it('counts what was begun, and nothing that was claimed and given back', async () => {
    // The first one pauses the campaign while others are claimed already.
    const made = await drafted(test, ['+5521980132015', ...ordinaryPhones(200)]);
    await setDailyLimit(made.ctx, made.numberId, 201);
    await sendCampaign(made.ctx, made.ref.campaignId);
    await freeze(test, made);

    expect(await sendAll(test, made)).toMatchObject({ stage: 'paused' });

    const begun = 201 - (await detailOf(test, made)).results.pending;
    expect(await change(made, 'select begun from campaign_days')).toEqual([{ begun }]);
  });

  it('counts a new person whatever becomes of the contact', async () => {
    const { ctx, ref, numberId, contactIds } = await drafted(test, ordinaryPhones(5));
    const [deleted = '', stays = '', goes = '', other = '', unmet = ''] = contactIds;
    const { organizationId } = ref;
    const provider = 'paired' as const;
    const number = { organizationId, numberId, provider, dailyLimit: null, timeZone: 'UTC' };
    const met = { begun: 4, contacts: [deleted, stays, goes, other] };
    await inWorkspace(test.database, organizationId, (sql) =>
      countClaimed(sql, number, met, ctx.now),
    );

    await deleteContact(ctx, deleted, []);
    await mergeContacts(ctx, stays, goes);
    await mergeContacts(ctx, unmet, other);

    const [room] = await inWorkspace(test.database, organizationId, (sql) =>
      roomsOn(sql, organizationId, [{ number, at: ctx.now }]),
    );
    expect(room?.newPeople).toBe(20 - 4);
    expect(
      await inWorkspace(test.database, organizationId, (sql) =>
        sql.rows('select contact_id as id from first_contacts where contact_id = $1', [unmet]),
      ),
    ).toEqual([{ id: unmet }]);
  });

  it('has room for whoever was counted on a day before, in the preview as in the run', async () => {
    const time = skippedFrom(test, '2026-11-27T15:00:00Z');
    const made = await drafted(test, ordinaryPhones(3), { campaign: { pace: 10 } });
    await pair(test, made);
    const segment = await aSegment(made.ctx, {
      rules: { field: 'name', op: 'starts_with', value: 'Cliente' },
    });
    const bySegment = await aCampaign(made.ctx, {
      number_id: made.numberId,
      target: 'segment',
      segment_id: segment.id,
      contact_ids: [],
      pace: 10,
    });
    // On its second day the number may write to 28 new people, and has done so.
    await change(
      made,
      `insert into first_contacts (organization_id, number_id, contact_id, day)
       select organization_id, number_id, unnest(contact_ids), date '2026-11-26' from campaigns where id = $1
       union all
       select organization_id, number_id, 'con_' || n, date '2026-11-27' from campaigns, generate_series(1, 28) n where id = $1`,
      [made.ref.campaignId],
    );

    for (const id of [made.ref.campaignId, bySegment.id])
      expect((await previewCampaign(time.at(made.ctx), id)).timetable).toMatchObject([
        { messages: 3, after: null },
      ]);
    await begin(test, time, made);
    expect(await skipThrough(time, made)).toMatchObject({ stage: 'done', sent: 3 });
    expect(dayOf('America/Sao_Paulo', time.now())).toBe('2026-11-27');
  });

  it('is not over for a new person who was counted and only waits for another try', async () => {
    const time = skippedFrom(test, '2026-11-27T15:00:00Z');
    const phones = ['+5521980131056', ...ordinaryPhones(25)];
    const made = await drafted(test, phones, { campaign: { pace: 10 } });
    await pair(test, made);
    await begin(test, time, made);
    const [refused] = made.contactIds;
    const tries = () =>
      change(made, 'select attempts from campaign_recipients where contact_id = $1', [refused]);
    // It is the database's clock by which another try is due.
    const dueIn = (span: string) =>
      change(made, 'update campaign_recipients set not_before = now() + $2 where contact_id = $1', [
        ...[refused, span],
      ]);

    await skipThrough(time, made, () => true);
    await dueIn('20 minutes');
    await skipThrough(time, made, ({ sent }) => sent === 19);
    time.skip(6_000);
    const nobody = await sendBatch(time.deps, made.ref, untilDone);

    expect(nobody).toMatchObject({ stage: 'sending', sent: 19, left: 7 });
    expect(nobody.waitingFor).toBe('another_try');
    expect(nobody.waitMs).toBeGreaterThan(18 * 60_000);
    expect(nobody.waitMs).toBeLessThanOrEqual(20 * 60_000);
    expect((await detailOf(test, made)).waiting_until).toBeNull();
    expect(await tries()).toEqual([{ attempts: 1 }]);
    await dueIn('0');
    time.skip(nobody.waitMs);
    await sendBatch(time.deps, made.ref, untilDone);
    expect(await tries()).toEqual([{ attempts: 2 }]);
  });
});

describe("the plan's month", () => {
  const pausedFor = (reason: string): object[] => [
    { field: 'status', from: 'sending', to: 'paused' },
    { field: 'pause_reason', from: null, to: reason },
  ];
  /** Its audience is written down, and then something happens before its size is looked at. */
  const heldAfter = async (
    happens: (made: Made) => Promise<unknown>,
    logged: readonly (readonly object[])[],
  ): Promise<void> => {
    const made = await drafted(test, ordinaryPhones(3));
    await setPlan(made.ctx, 'essencial');
    await change(made, `update contacts set name = 'Outra' where id = $1`, [made.contactIds[2]]);
    // An earlier campaign of this month took nearly everything.
    const { id: earlier } = await aCampaign(made.ctx, {
      number_id: made.numberId,
      contact_ids: [...made.contactIds],
    });
    await change(
      made,
      `update campaigns set status = 'done', total = 2998, started_at = now(), frozen_at = now() where id = $1`,
      [earlier],
    );
    const rules = { field: 'name', op: 'starts_with', value: 'Cliente' } as const;
    const segment = await aSegment(made.ctx, { rules });
    await change(
      made,
      `update campaigns set target = 'segment', segment_id = $1, contact_ids = '{}' where id = $2`,
      [segment.id, made.ref.campaignId],
    );
    const ctx = { ...made.ctx, now: new Date() };
    await sendCampaign(ctx, made.ref.campaignId);
    await change(made, `update contacts set name = 'Cliente 3' where id = $1`, [
      made.contactIds[2],
    ]);
    await freeze(test, made);
    await happens(made);

    // An activity may be done twice.
    for (let n = 0; n < 2; n += 1) await holdToQuota(ctx, made.ref.campaignId);

    const entries = await auditOf(ctx, made.ref.campaignId);
    const paused = entries.filter(({ action }) => action === 'campaign.paused');
    expect(paused.map(({ changes }) => changes)).toEqual(logged);
    const held = await detailOf(test, made);
    expect(held).toMatchObject({
      status: 'paused',
      pause_reason: 'quota',
      results: { pending: 3 },
    });
    await expect(resumeCampaign(ctx, made.ref.campaignId)).rejects.toMatchObject({
      code: 'quota',
      message: 'The plan essencial allows 3000 recipients a month; 3001 are used.',
      details: { limit: 3_000, used: 3_001 },
    });
    await setPlan(made.ctx, 'profissional');
    await resumeCampaign(ctx, made.ref.campaignId);
    expect(await sendAll(test, made)).toMatchObject({ stage: 'done', sent: 3 });
  };

  it('holds a campaign whose rules reached more than its start counted, before anybody is sent to', () =>
    heldAfter(async () => {}, [pausedFor('quota')]));

  it('holds it also if somebody pauses it at that moment', () =>
    heldAfter(
      ({ ctx, ref }) => pauseCampaign(ctx, ref.campaignId),
      [pausedFor('member'), [{ field: 'pause_reason', from: 'member', to: 'quota' }]],
    ));
});
