import { visibleCampaigns } from '../access/visibility.ts';
import type { Seeing } from '../context.ts';
import { type Bind, binding, equalBy, first, type Sql } from '../db/sql.ts';
import type { Provider } from '../numbers/rules.ts';
import { GROUP_PACE } from '../numbers/rules.ts';
import type { Rules } from '../segments/rules.ts';
import { optedOutAfter, REACHED } from './reached.ts';
import type {
  CampaignStatus,
  CampaignTarget,
  Exclusion,
  PauseReason,
  RecipientStatus,
} from './rules.ts';
import type { CampaignFilters } from './schema.ts';

export interface CampaignRow {
  readonly id: string;
  readonly name: string;
  readonly status: CampaignStatus;
  readonly number_id: string | null;
  readonly target: CampaignTarget;
  readonly segment_id: string | null;
  readonly segment_rules: Rules | null;
  readonly contact_ids: string[];
  readonly group_ids: string[];
  readonly text: string;
  readonly send_at: Date | null;
  readonly pace: number | null;
  /** What the campaign asks for, as `REQUESTED_PACE` says. */
  readonly requested_pace: number | null;
  readonly started_at: Date | null;
  readonly finished_at: Date | null;
  readonly created_at: Date;
  readonly pause_reason: PauseReason | null;
  readonly waiting_until: Date | null;
  readonly retry_of: string | null;
  readonly pipeline_id: string | null;
  readonly stage_ids: string[];
  readonly ceiling_per_minute: number | null;
  readonly provider: Provider | null;
  readonly daily_limit: number | null;
  /**
   * What other campaigns sending on the same number ask for, in messages per minute; null for as much as possible.
   */
  readonly others: readonly (number | null)[];
  readonly time_zone: string;
  readonly quiet_from: string | null;
  readonly quiet_to: string | null;
  /** When it was written down who gets it. */
  readonly frozen_at: Date | null;
  /** Remaining recipients; null if the campaign is neither scheduled nor running, or before anybody has counted them. */
  readonly remaining: number | null;
}

/** SQL: campaigns `o` that send on the number of `c` beside it, and are not waiting; none once `c` is over. */
const BESIDE = `campaigns o where c.finished_at is null
     and o.organization_id = c.organization_id and o.number_id = c.number_id
     and o.status = 'sending' and o.waiting_until is null and o.id <> c.id`;

/** SQL: what a campaign asks for; `toGroups` is how many share what the number may send to groups. */
const askOf = (campaign: string, toGroups: string): string =>
  `case when ${campaign}.target = 'groups' then least(${campaign}.pace, p.max_pace, ${GROUP_PACE}::float8 / ${toGroups})
     when ${campaign}.pace is not null then least(${campaign}.pace, p.max_pace) end`;

/**
 * SQL: the pace that `c` asks for, limited by the plan's `p`, which may have been larger when the campaign was
 * written; null for none of its own. Those to groups ask for an even share of what their number may send to groups.
 */
export const REQUESTED_PACE = askOf(
  'c',
  `(select count(*) + 1 from ${BESIDE} and o.target = 'groups')`,
);

/** SQL: the paces that other campaigns ask for which send on the number of `c` and are not waiting. */
export const OTHERS = `(select coalesce(array_agg(o.ask), '{}') from (
   select ${askOf('o', "(count(*) filter (where o.target = 'groups') over () + (c.target = 'groups')::int)")} as ask
   from ${BESIDE}) o)`;

/** SQL: how many recipients of `c` are still to get it. */
const PENDING = `(select count(*) from campaign_recipients r where r.organization_id = c.organization_id
      and r.campaign_id = c.id and r.status = 'pending')`;

const columns = (
  pending: string,
): string => `c.id, c.name, c.status, c.number_id, c.target, c.segment_id, c.contact_ids, c.group_ids, c.text,
  c.send_at, c.pace, ${REQUESTED_PACE} as requested_pace, c.started_at, c.finished_at, c.created_at, c.pause_reason, c.waiting_until, c.retry_of,
  c.segment_rules, c.pipeline_id, c.stage_ids, c.frozen_at,
  n.ceiling_per_minute, n.provider, l.daily_limit, ${OTHERS} as others,
  w.time_zone, t.quiet_from, t.quiet_to,
  case when c.status not in ('scheduled', 'sending') then null
    when c.frozen_at is null then coalesce(c.expected,
      case when c.target in ('contacts', 'groups') then cardinality(c.contact_ids) + cardinality(c.group_ids)
        else (select s.count from segments s where s.organization_id = c.organization_id and s.id = c.segment_id) end)
    else ${pending} end as remaining`;

const COLUMNS = columns(PENDING);

/** SQL: campaigns `c` with their number `n` and what limits them: workspace `w`, plan `p`, settings `t`, day's limit `l`. */
export const FROM = `from campaigns c
  join workspaces w on w.organization_id = c.organization_id
  join plans p on p.name = w.plan
  left join campaign_settings t on t.organization_id = c.organization_id
  left join campaign_limits l on l.organization_id = c.organization_id and l.number_id = c.number_id
  left join numbers n on n.organization_id = c.organization_id and n.id = c.number_id`;

/** The campaigns that the caller may see. */
export function visible({ actor, organizationId }: Seeing): {
  where: string;
  params: unknown[];
  bind: Bind;
} {
  const { params, bind } = binding(organizationId);
  const seen = visibleCampaigns(actor, 'c', bind);
  return { where: `c.organization_id = $1 and ${seen}`, params, bind };
}

/** Null for one that the actor cannot see. */
export function findCampaign(ctx: Seeing, id: string): Promise<CampaignRow | null> {
  const { where, params, bind } = visible(ctx);
  return first(ctx.sql, `select ${COLUMNS} ${FROM} where ${where} and c.id = ${bind(id)}`, params);
}

/** Whether the caller can see such a campaign. */
export async function knowsCampaign(ctx: Seeing, id: string): Promise<boolean> {
  const { where, params, bind } = visible(ctx);
  return (
    (await first(ctx.sql, `select 1 ${FROM} where ${where} and c.id = ${bind(id)}`, params)) !==
    null
  );
}

/** Newest first, at most `limit`, below the id `after`. */
export function listCampaignRows(
  ctx: Seeing,
  { status, number_id, segment_id }: CampaignFilters,
  page: { limit: number; after: string | null },
): Promise<CampaignRow[]> {
  const { where, params, bind } = visible(ctx);
  const equal = equalBy(bind);
  const conditions = [
    where,
    ...(page.after ? [`c.id < ${bind(page.after)}`] : []),
    ...equal('c.status', status),
    ...equal('c.number_id', number_id),
    ...equal('c.segment_id', segment_id),
  ];
  return ctx.sql.rows(
    `select ${COLUMNS} ${FROM} where ${conditions.join(' and ')}
     order by c.id desc limit ${bind(page.limit)}`,
    params,
  );
}

export interface DetailRow extends CampaignRow {
  readonly total: number;
  readonly excluded: Partial<Record<Exclusion, number>>;
  readonly by_status: Partial<Record<RecipientStatus, number>>;
  readonly reasons: Record<string, number>;
  readonly replied: number;
  readonly opted_out: number;
  readonly first_sent_at: Date | null;
  readonly last_sent_at: Date | null;
}

/**
 * One statement and therefore one snapshot, so that the sums of design decisions §7 hold on every read. The recipients
 * are read once, and counted by what they have in common.
 */
export function findDetail(ctx: Seeing, id: string): Promise<DetailRow | null> {
  const { where, params, bind } = visible(ctx);
  const campaign = bind(id);
  const sum = (column: string, which = 'true'): string =>
    `(select coalesce(sum(${column}), 0)::int from mine where ${which})`;
  const sent = {
    first: `(select min(first_settled) from mine where status in ${REACHED})`,
    last: `(select max(last_settled) from mine where status in ${REACHED})`,
  };
  return first(
    ctx.sql,
    `with mine as materialized (
       select r.status, r.reason, count(*) as n, count(r.replied_at) as replied,
         min(r.settled_at) as first_settled, max(r.settled_at) as last_settled
       from campaign_recipients r where r.organization_id = $1 and r.campaign_id = ${campaign} group by 1, 2)
     select ${columns(sum('n', `status = 'pending'`))}, c.total, c.excluded,
       (select coalesce(jsonb_object_agg(status, n), '{}') from (select status, sum(n) n from mine group by 1) s) as by_status,
       (select coalesce(jsonb_object_agg(reason, n), '{}') from
         (select reason, sum(n) n from mine where reason is not null and status in ('failed', 'skipped') group by 1) s) as reasons,
       ${sum('replied')} as replied, ${optedOutAfter(campaign, sent)} as opted_out,
       ${sent.first} as first_sent_at, ${sent.last} as last_sent_at
     ${FROM} where ${where} and c.id = ${campaign}`,
    params,
  );
}

export interface RecipientRow {
  readonly id: string;
  readonly contact_id: string | null;
  readonly group_id: string | null;
  readonly phone: string;
  readonly status: RecipientStatus;
  readonly reason: string | null;
  readonly message_id: string | null;
  readonly attempts: number;
  readonly claimed_at: Date | null;
  readonly settled_at: Date | null;
}

export const listRecipientRows = (
  sql: Sql,
  organizationId: string,
  filter: { campaignId: string; status: RecipientStatus | null },
  page: { limit: number; after: string | null },
): Promise<RecipientRow[]> =>
  sql.rows(
    `select id, contact_id, group_id, phone, status, reason, message_id, attempts, claimed_at, settled_at
     from campaign_recipients
     where organization_id = $1 and campaign_id = $2 and ($3::text is null or id < $3)
       and ($4::text is null or status = $4)
     order by id desc limit $5`,
    [organizationId, filter.campaignId, page.after, filter.status, page.limit],
  );

/**
 * How many recipients the campaigns begun this calendar month, in the workspace's zone, have deducted from the plan.
 */
export const recipientsThisMonth = async (
  sql: Sql,
  organizationId: string,
  now: Date,
): Promise<number> => {
  const row = await first<{ used: number }>(
    sql,
    `select coalesce(sum(case when c.frozen_at is null then coalesce(c.expected, cardinality(c.contact_ids))
         else c.total - (select coalesce(sum(x.value::int), 0) from jsonb_each_text(c.excluded) x) end), 0)::int8 as used
     from campaigns c join workspaces w on w.organization_id = c.organization_id
     where c.organization_id = $1
       and c.started_at >= date_trunc('month', $2::timestamptz at time zone w.time_zone) at time zone w.time_zone`,
    [organizationId, now],
  );
  return row?.used ?? 0;
};
