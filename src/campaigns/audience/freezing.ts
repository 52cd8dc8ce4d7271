import { advisoryLock } from '../../db/advisory-locks.ts';
import { BY_INDEX, type Database, inWorkspace } from '../../db/database.ts';
import { first, type Sql } from '../../db/sql.ts';
import { newId } from '../../ids.ts';
import { guardsOf } from '../limits/guards.ts';
import type { Exclusion } from '../rules.ts';
import { type Assessment, tally } from './candidates.ts';
import { type Listed, type Portion, portionOf } from './portions.ts';
import { type Reached, type RuleTarget, reachOf } from './reach.ts';

export interface CampaignRef {
  readonly organizationId: string;
  readonly campaignId: string;
}

/**
 * Writes down who gets the campaign, page by page. Each page is one transaction that also records the progress, so
 * that it can be repeated or resumed after a crash without writing anyone twice. Rules are evaluated as of the moment
 * when the campaign began; contacts created later are not included.
 *
 * @returns whether everyone is written down; false if the campaign was stopped, or time is up
 */
export async function freezeAudience(
  database: Pick<Database, 'app'>,
  ref: CampaignRef,
  control: { now: () => Date; mayGoOn: () => boolean },
): Promise<boolean> {
  const inTransaction = <T>(work: (sql: Sql) => Promise<T>): Promise<T> =>
    inWorkspace(database, ref.organizationId, work, BY_INDEX);
  const reached = await inTransaction((sql) => reachedBy(sql, ref));
  while (control.mayGoOn()) {
    const step = await inTransaction((sql) => freezePage(sql, ref, reached, control.now()));
    if (step !== 'more') return step === 'frozen';
  }
  return false;
}

/** The segment may change, or a worker die, between two pages: the rules of the first look are kept for all of them. */
async function reachedBy(
  sql: Sql,
  { organizationId, campaignId }: CampaignRef,
): Promise<Reached | null> {
  const campaign = await first<RuleTarget & { started_at: Date | null }>(
    sql,
    `update campaigns c set segment_rules = coalesce(c.segment_rules, (
       select s.rules from segments s where s.organization_id = $1 and s.id = c.segment_id))
     where c.organization_id = $1 and c.id = $2 and c.frozen_at is null
     returning target, segment_id, segment_rules, pipeline_id, stage_ids, started_at`,
    [organizationId, campaignId],
  );
  return campaign?.started_at
    ? reachOf({ sql, organizationId, now: campaign.started_at }, campaign)
    : null;
}

interface Unfrozen extends Omit<Listed, 'window24h'> {
  readonly status: string;
  readonly frozen_at: Date | null;
  readonly window_24h: boolean | null;
  readonly excluded: Partial<Record<Exclusion, number>>;
}

/**
 * One page of a workspace at a time: the cap counts who is about to get another campaign, and a retry leaves out who is
 * about to get another retry. Nor may anybody here be deleted or merged meanwhile, who would stay in the audience.
 */
async function freezePage(
  sql: Sql,
  { organizationId, campaignId }: CampaignRef,
  reached: Reached | null,
  now: Date,
): Promise<'more' | 'frozen' | 'stopped'> {
  const campaign = await first<Unfrozen>(
    sql,
    `select c.id, c.status, c.frozen_at, c.started_at, c.target, c.number_id, c.text, n.window_24h, c.total, c.excluded,
       c.contact_ids[c.total + 1 : c.total + $3] as contact_ids, c.group_ids, c.frozen_through,
       cardinality(c.contact_ids) as size
     from campaigns c left join numbers n on n.organization_id = c.organization_id and n.id = c.number_id
     where c.organization_id = $1 and c.id = $2 for update of c`,
    [organizationId, campaignId, PAGE],
  );
  if (campaign?.frozen_at) return 'frozen';
  if (campaign?.status !== 'sending') return 'stopped';
  const asked = { ...campaign, window24h: campaign.window_24h ?? false };
  const { cap } = await guardsOf(sql, organizationId);
  await advisoryLock(sql, 'audience', organizationId);
  const portion = await portionOf(sql, organizationId, { campaign: asked, reached, cap, now });
  const excluded = await writeDown(sql, { organizationId, campaignId }, portion, campaign.excluded);
  await sql.rows(
    `update campaigns set total = $3, excluded = $4, frozen_at = $5, frozen_through = $6
     where organization_id = $1 and id = $2`,
    [
      organizationId,
      campaignId,
      campaign.total + portion.assessed.length,
      JSON.stringify(excluded),
      portion.last ? now : null,
      portion.through,
    ],
  );
  return portion.last ? 'frozen' : 'more';
}

const PAGE = 500;

async function writeDown(
  sql: Sql,
  ref: CampaignRef,
  { assessed }: Portion,
  before: Partial<Record<Exclusion, number>>,
): Promise<Partial<Record<Exclusion, number>>> {
  const duplicates = await insertRecipients(sql, ref, assessed);
  return tally(before, [
    ...assessed.flatMap((found) => found.excluded ?? []),
    ...Array.from({ length: duplicates }, () => 'duplicate' as const),
  ]);
}

/**
 * Two contacts with the same phone get one message. So does a contact merged with another one during the freezing,
 * who is found by contact, because a campaign's list of recipients is long; without `offset 0` the planner would join
 * each page with all recipients of the workspace.
 *
 * @returns how many duplicates there were
 */
async function insertRecipients(
  sql: Sql,
  { organizationId, campaignId }: CampaignRef,
  assessed: readonly Assessment[],
): Promise<number> {
  const eligible = assessed.filter((found) => found.excluded === null);
  if (eligible.length === 0) return 0;
  const inserted = await sql.rows(
    `insert into campaign_recipients (organization_id, campaign_id, id, identity_key, contact_id, group_id, phone, text)
     select $1, $2, i.* from unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[])
       i (id, identity_key, contact_id, group_id, phone, text)
     where not exists (select from campaign_recipients o
       where o.organization_id = $1 and o.contact_id = i.contact_id and o.campaign_id || '' = $2 offset 0)
     on conflict (organization_id, campaign_id, identity_key) do nothing returning id`,
    [
      organizationId,
      campaignId,
      eligible.map(() => newId('rcp')),
      eligible.map((found) => found.key),
      eligible.map((found) => found.contactId),
      eligible.map((found) => found.groupId),
      eligible.map((found) => found.phone),
      eligible.map((found) => found.text),
    ],
    'campaign-freeze',
  );
  return eligible.length - inserted.length;
}
