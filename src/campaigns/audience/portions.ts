import { binding, first, oneByOne, type Sql } from '../../db/sql.ts';
import type { FrequencyCap } from '../limits/guards.ts';
import type { CampaignTarget } from '../rules.ts';
import { type Assessment, assess, assessGroup, candidates, groupCandidates } from './candidates.ts';
import type { Reached } from './reach.ts';

/** A campaign whose audience is being written down, and how far that has come. */
export interface Listed {
  readonly id: string;
  readonly target: CampaignTarget;
  readonly number_id: string | null;
  readonly text: string;
  readonly window24h: boolean;
  readonly started_at: Date | null;
  /** How many were examined. */
  readonly total: number;
  /** The next of a list of contacts, whose length is `size`. */
  readonly contact_ids: readonly string[];
  readonly size: number;
  readonly group_ids: readonly string[];
  /** The last contact examined by rules. */
  readonly frozen_through: string | null;
}

export interface Portion {
  readonly assessed: readonly Assessment[];
  readonly through: string | null;
  readonly last: boolean;
}

interface Asked {
  readonly campaign: Listed;
  /** Null for a target that is a list. */
  readonly reached: Reached | null;
  readonly cap: FrequencyCap | null;
  readonly now: Date;
}

/** How many contacts are examined in one transaction, however few of them match. */
const SPAN = 2_000;

/** The next people or groups of an audience. */
export async function portionOf(sql: Sql, organizationId: string, asked: Asked): Promise<Portion> {
  const { campaign, reached } = asked;
  if (campaign.target === 'groups') {
    const groups = await groupCandidates(sql, organizationId, campaign.group_ids, campaign.id);
    const assessed = groups.map((group) => assessGroup(group, campaign));
    return { assessed, through: null, last: true };
  }
  if (!reached) {
    const assessed = await assessAll(sql, organizationId, asked, campaign.contact_ids);
    const last = campaign.total + campaign.contact_ids.length >= campaign.size;
    return { assessed, through: null, last };
  }
  const span = await nextSpan(sql, organizationId, campaign.frozen_through);
  if (!span) return { assessed: [], through: campaign.frozen_through, last: true };
  const ids = await reachedIn(sql, organizationId, asked, span.through);
  const assessed = await assessAll(sql, organizationId, asked, ids);
  return { assessed, through: span.through, last: span.size < SPAN };
}

async function assessAll(
  sql: Sql,
  organizationId: string,
  { campaign, cap, now }: Asked,
  contactIds: readonly string[],
): Promise<Assessment[]> {
  const { id: campaignId, text, number_id: numberId, window24h } = campaign;
  const offer = { campaignId, text, numberId, window24h, cap, now };
  const people = await candidates(sql, organizationId, contactIds, offer);
  return people.map((person) => assess(person, offer));
}

async function nextSpan(
  sql: Sql,
  organizationId: string,
  after: string | null,
): Promise<{ through: string; size: number } | null> {
  const span = await first<{ through: string | null; size: number }>(
    sql,
    `select max(s.id) as through, count(*) as size from (
       select c.id from contacts c where c.organization_id = $1 and c.id > $2 order by c.id limit $3) s`,
    [organizationId, after ?? '', SPAN],
    'campaign-span',
  );
  return span?.through ? { through: span.through, size: span.size } : null;
}

async function reachedIn(
  sql: Sql,
  organizationId: string,
  { campaign, reached }: Asked,
  through: string,
): Promise<string[]> {
  const { params, bind } = binding(
    organizationId,
    campaign.frozen_through ?? '',
    through,
    campaign.started_at,
  );
  const condition = reached?.(bind) ?? 'false';
  const rows = await sql.rows<{ id: string }>(
    `select c.id from contacts c where c.organization_id = $1 and c.id > $2 and c.id <= $3
       and c.created_at <= $4 and ${oneByOne(condition)} order by c.id`,
    params,
  );
  return rows.map(({ id }) => id);
}
