import type { ReadContext } from '../context.ts';
import { first } from '../db/sql.ts';
import { eligibleOf, type RoughAudience } from './audience/estimating.ts';
import { countedFor, isLimited, roomOn } from './limits/day-limits.ts';
import { quietOf } from './limits/guards.ts';
import {
  type DayLimits,
  endOf,
  NO_LIMITS,
  type Timetable,
  timetableOf,
} from './limits/timetable.ts';
import { paceOf, waitingUntil } from './present.ts';
import type { CampaignRow } from './queries.ts';

type Reading = Pick<ReadContext, 'sql' | 'organizationId' | 'now'>;

/** Those whom a campaign has yet to reach. */
interface Left {
  readonly count: number;
  /** How many of them the number has never exchanged messages with; 0 for a number without a warm-up. */
  readonly newPeople: number;
}

/** When the messages to these people leave, from this moment on: previews and running campaigns alike. */
export async function foresee(
  ctx: Reading,
  row: CampaignRow,
  { count, newPeople }: Left,
  startsAt: Date,
): Promise<Timetable> {
  const [perMinute, quiet] = [paceOf(row), quietOf(row)];
  const days = await daysOf(ctx, row, startsAt);
  return timetableOf({ count, newPeople, perMinute, startsAt, quiet, days });
}

/**
 * When the last message leaves. Null if a limit of the day pauses the campaign before, and without a pace or anything
 * to wait for, because it will be over in a moment.
 */
export const finishOf = (timetable: Timetable, pace: number | null): Date | null =>
  pace === null && timetable.spans.length <= 1 ? null : endOf(timetable);

/**
 * When the last message of a scheduled or running campaign leaves; null in every other state, as `finishOf` says, and
 * while nobody has counted whom a number that warms up would meet: before the freezing, in lists of campaigns.
 *
 * @param estimate who would get it now, where that is known
 */
export async function estimatedFinish(
  ctx: Reading,
  row: CampaignRow,
  estimate: RoughAudience | null = null,
): Promise<Date | null> {
  if (row.remaining === null) return null;
  const left = await leftOf(ctx, row, row.remaining, estimate);
  if (left === null) return null;
  if (left.count === 0) return paceOf(row) === null ? null : ctx.now;
  const from = row.status === 'scheduled' ? row.send_at : waitingUntil(row, ctx.now);
  const startsAt = from && from > ctx.now ? from : ctx.now;
  return finishOf(await foresee(ctx, row, left, startsAt), paceOf(row));
}

async function leftOf(
  ctx: Reading,
  row: CampaignRow,
  remaining: number,
  estimate: RoughAudience | null,
): Promise<Left | null> {
  const count = estimate ? eligibleOf(estimate) : remaining;
  if (row.provider !== 'paired' || row.target === 'groups') return { count, newPeople: 0 };
  const newPeople = estimate ? estimate.newPeople : await newPeopleOf(ctx, row);
  return newPeople === undefined ? null : { count, newPeople };
}

/** How many of those left a number meets for the first time; undefined before rules have been evaluated. */
async function newPeopleOf(
  { sql, organizationId }: Reading,
  { id, frozen_at: frozenAt, target, contact_ids: contactIds, number_id: numberId }: CampaignRow,
): Promise<number | undefined> {
  if (!frozenAt && target !== 'contacts') return undefined;
  const people = frozenAt
    ? `campaign_recipients r where r.organization_id = $1 and r.campaign_id = $2 and r.status = 'pending'`
    : 'unnest($2::text[]) r (contact_id) where true';
  const row = await first<{ n: number }>(
    sql,
    `select count(*)::int as n from ${people} and not ${countedFor('$3')}`,
    [organizationId, frozenAt ? id : contactIds, numberId],
  );
  return row?.n ?? 0;
}

/** What the number's daily limits allow, as of the day on which this begins. */
async function daysOf(ctx: Reading, row: CampaignRow, startsAt: Date): Promise<DayLimits> {
  const { number_id: numberId, provider, daily_limit: dailyLimit, time_zone: timeZone } = row;
  if (numberId === null || provider === null) return { timeZone, ...NO_LIMITS };
  const number = { organizationId: ctx.organizationId, numberId, provider, dailyLimit, timeZone };
  if (!isLimited(number)) return { timeZone, ...NO_LIMITS };
  const room = await roomOn(ctx.sql, number, startsAt);
  return {
    timeZone,
    messages: dailyLimit === null ? null : { today: room.messages ?? dailyLimit, each: dailyLimit },
    warmUp: room.newPeople === null ? null : { day: room.warmUpDay, today: room.newPeople },
  };
}
