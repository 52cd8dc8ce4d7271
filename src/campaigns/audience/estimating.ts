import { chunksOf } from '../../concurrency.ts';
import { requiredVariables } from '../../contacts/variables.ts';
import type { ReadContext } from '../../context.ts';
import { wordsFrom } from '../../conversations/sending/personal-text.ts';
import { type Bind, binding, first } from '../../db/sql.ts';
import { type Provider, WINDOW_MARGIN_MS } from '../../numbers/rules.ts';
import { isTooHeavy, withinTimeLimit } from '../../segments/time-limit.ts';
import { countedFor } from '../limits/day-limits.ts';
import { guardsOf } from '../limits/guards.ts';
import type { Exclusion } from '../rules.ts';
import {
  type Assessment,
  type AudienceCounts,
  assess,
  assessGroup,
  candidates,
  cappedSql,
  E164,
  groupCandidates,
  type Offer,
  tally,
} from './candidates.ts';
import { type Reached, type RuleTarget, reachOf } from './reach.ts';
import { reachedMeanwhile } from './retries.ts';

/** A campaign that has not begun. */
export interface Planned extends RuleTarget {
  readonly id: string;
  readonly number_id: string | null;
  readonly contact_ids: readonly string[];
  readonly group_ids: readonly string[];
  readonly text: string;
}

/** Who would get it if it began now; `some` lists a few of those who would, and of those who would not. */
export interface Estimate extends AudienceCounts {
  readonly reached: readonly Assessment[];
  readonly left: readonly Assessment[];
  /**
   * How many of those who would get it have never exchanged messages with the number; 0 for a number without a
   * warm-up.
   */
  readonly newPeople: number;
}

type Asking = Pick<ReadContext, 'sql' | 'organizationId' | 'now'>;

/** Writes nothing. Throws 422 `segment_too_heavy`. */
export async function estimateAudience(
  ctx: Asking,
  campaign: Planned,
  some = 0,
): Promise<Estimate> {
  const offer = await offerOf(ctx, campaign);
  if (campaign.target === 'groups') {
    const groups = await groupCandidates(
      ctx.sql,
      ctx.organizationId,
      campaign.group_ids,
      campaign.id,
    );
    const assessed = groups.map((group) => assessGroup(group, offer));
    return counted(assessed, some);
  }
  const reached = await reachOf(ctx, campaign);
  if (!reached) return counted(await assessList(ctx, campaign.contact_ids, offer), some);
  return withinTimeLimit(ctx.sql, () => estimateReached(ctx, reached, offer, some));
}

/** `newPeople` is missing if nobody could be looked at. */
export type RoughAudience = AudienceCounts & { readonly newPeople?: number };

/** `estimateAudience`, or the last count of a segment that now takes too long. */
export async function roughAudience(ctx: Asking, campaign: Planned): Promise<RoughAudience> {
  try {
    return await estimateAudience(ctx, campaign);
  } catch (error) {
    if (!isTooHeavy(error)) throw error;
    const row = await first<{ count: number | null }>(
      ctx.sql,
      'select count from segments where organization_id = $1 and id = $2',
      [ctx.organizationId, campaign.segment_id],
    );
    return { total: row?.count ?? 0, excluded: {} };
  }
}

/** Those left of an audience; each person is excluded for a single reason. */
export const eligibleOf = ({ total, excluded }: AudienceCounts): number =>
  total - Object.values(excluded).reduce((sum, n) => sum + n, 0);

type Offered = Offer & { readonly countNew: boolean };

async function offerOf(ctx: Asking, { id, text, number_id }: Planned): Promise<Offered> {
  const number = await first<{ window_24h: boolean; provider: Provider }>(
    ctx.sql,
    'select window_24h, provider from numbers where organization_id = $1 and id = $2',
    [ctx.organizationId, number_id],
  );
  const { cap } = await guardsOf(ctx.sql, ctx.organizationId);
  const window24h = number?.window_24h ?? false;
  const countNew = number?.provider === 'paired';
  return { text, numberId: number_id, window24h, cap, campaignId: id, now: ctx.now, countNew };
}

const PAGE = 1_000;

async function assessList(
  { sql, organizationId }: Asking,
  contactIds: readonly string[],
  offer: Offer,
): Promise<Assessment[]> {
  const assessed: Assessment[] = [];
  for (const page of chunksOf(PAGE, contactIds)) {
    const people = await candidates(sql, organizationId, page, offer);
    assessed.push(...people.map((person) => assess(person, offer)));
  }
  return assessed;
}

function counted(assessed: readonly Assessment[], some: number): Estimate {
  const seen = new Set<string>();
  const unique = assessed.map((found): Assessment => {
    if (found.excluded !== null) return found;
    const { key: _, text: __, known: ___, ...whom } = found;
    if (seen.has(found.key)) return { ...whom, excluded: 'duplicate' };
    seen.add(found.key);
    return found;
  });
  return {
    total: assessed.length,
    excluded: tally(
      {},
      unique.flatMap(({ excluded }) => excluded ?? []),
    ),
    newPeople: unique.filter((found) => found.excluded === null && !found.known).length,
    reached: unique.filter(({ excluded }) => excluded === null).slice(0, some),
    left: unique.filter(({ excluded }) => excluded !== null).slice(0, some),
  };
}

interface Verdict {
  /** Null for those who get it. */
  readonly excluded: Exclusion | null;
  readonly n: number;
  readonly new_people: number;
  readonly oldest: string;
}

const sumOf = (verdicts: readonly Verdict[]): number => verdicts.reduce((sum, { n }) => sum + n, 0);

/** Contacts of a workspace never share a phone, so rules never reach anyone twice. */
async function estimateReached(
  { sql, organizationId }: Asking,
  reached: Reached,
  offer: Offered,
  some: number,
): Promise<Estimate> {
  const people = (bind: Bind): string =>
    `select c.id, ${exclusionSql(offer, bind)} as excluded, ${isNew(offer, bind)} as is_new from contacts c
     where c.organization_id = $1 and ${reached(bind)}`;
  const ask = <R>(text: (people: string, bind: Bind) => string): Promise<R[]> => {
    const { params, bind } = binding(organizationId);
    return sql.rows<R>(text(people(bind), bind), params);
  };
  const rows = await ask<Verdict>(
    (found) =>
      `select excluded, count(*) as n, count(*) filter (where is_new) as new_people, min(id) as oldest
       from (${found}) p group by 1`,
  );
  const firstOf = async (which: string, verdicts: readonly Verdict[]): Promise<Assessment[]> => {
    const [oldest] = verdicts.map((verdict) => verdict.oldest).sort();
    const limit = Math.min(some, sumOf(verdicts));
    if (limit === 0) return [];
    // From the first one on, and no more than there are: otherwise a few would be looked for among everybody again.
    const ids = await ask<{ id: string }>(
      (found, bind) =>
        `select id from (${found}) p where excluded is ${which} and id >= ${bind(oldest)} order by id limit ${limit}`,
    );
    const list = ids.map(({ id }) => id);
    return assessList({ sql, organizationId, now: offer.now }, list, offer);
  };
  const eligible = rows.filter(({ excluded }) => excluded === null);
  const left = rows.filter(({ excluded }) => excluded !== null);
  return {
    total: sumOf(rows),
    excluded: Object.fromEntries(
      rows.flatMap(({ excluded, n }) => (excluded ? [[excluded, n]] : [])),
    ),
    newPeople: eligible[0]?.new_people ?? 0,
    reached: await firstOf('null', eligible),
    left: await firstOf('not null', left),
  };
}

function isNew({ countNew, numberId }: Offered, bind: Bind): string {
  if (!countNew) return 'false';
  return `not ${countedFor(bind(numberId), 'c.id')}`;
}

/** The verdict of `assess` for a whole table at once; a test keeps the two in agreement. */
function exclusionSql(offer: Offer, bind: Bind): string {
  const { text, numberId, window24h, campaignId, now } = offer;
  const capped = cappedSql(offer, bind);
  const missing = requiredVariables(text).map((name) => isMissing(name, bind));
  const words = wordsFrom(text).map((name) => isMissing(name, bind));
  if (words.length > 0) missing.push(`(${words.join(' and ')})`);
  const closed = `not exists (select from conversations v where v.organization_id = c.organization_id
    and v.number_id = ${bind(numberId)} and v.contact_id = c.id
    and v.window_expires_at > ${bind(new Date(now.getTime() + WINDOW_MARGIN_MS))}::timestamptz)`;
  return `case when c.opted_out then 'opted_out' when c.blocked then 'blocked'
    when coalesce(c.phone, '') = '' then 'no_phone' when c.phone !~ ${bind(E164)} then 'invalid_phone'
    when c.whatsapp_status = 'invalid' then 'no_whatsapp'
    when ${bind(window24h)}::boolean and ${closed} then 'out_of_window'
    ${missing.length > 0 ? `when ${missing.join(' or ')} then 'missing_variable'` : ''}
    when ${reachedMeanwhile(bind(campaignId), 'o.contact_id = c.id')} then 'duplicate'
    ${capped ? `when ${capped} then 'frequency_cap'` : ''} end`;
}

function isMissing(name: string, bind: Bind): string {
  if (!name.startsWith('custom.')) return `c.name !~ '\\S'`;
  const value = `c.custom -> ${bind(name.slice('custom.'.length))}::text`;
  const blank = (text: string): string => `coalesce(${text}, '') !~ '\\S'`;
  return `case jsonb_typeof(${value}) when 'array'
    then jsonb_array_length(${value}) = 0 or (jsonb_array_length(${value}) = 1 and ${blank(`${value} ->> 0`)})
    else ${blank(`(${value}) #>> '{}'`)} end`;
}
