import type { ReadContext } from '../context.ts';
import { eligibleOf, type RoughAudience } from './audience/estimating.ts';
import {
  countedFor,
  type DayRoom,
  isLimited,
  type LimitedNumber,
  roomsOn,
} from './limits/day-limits.ts';
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

/** A campaign that sends to these people from this moment on. */
export interface ForecastInput {
  readonly row: CampaignRow;
  readonly left: Left;
  readonly startsAt: Date;
}

/** When the messages leave: of previews and running campaigns alike. With one statement for all of them. */
export async function forecast(
  ctx: Reading,
  inputs: readonly ForecastInput[],
): Promise<Timetable[]> {
  const days = await daysOf(ctx, inputs);
  return inputs.map(({ row, left: { count, newPeople }, startsAt }) =>
    timetableOf({
      count,
      newPeople,
      startsAt,
      perMinute: paceOf(row),
      quiet: quietOf(row),
      days: days.get(row.id) ?? { timeZone: row.time_zone, ...NO_LIMITS },
    }),
  );
}

/**
 * When the last message leaves. Null if a limit of the day pauses the campaign before, and without a pace or anything
 * to wait for, because it will be over in a moment.
 */
export const finishOf = (timetable: Timetable, pace: number | null): Date | null =>
  pace === null && timetable.spans.length <= 1 ? null : endOf(timetable);

/**
 * When the last message of each scheduled or running campaign leaves, by its id; none in every other state, as
 * `finishOf` says, and while nobody has counted whom rules reach, or whom a number that warms up would meet: before the
 * freezing, without an estimate. Asks as much for a page of campaigns as for one.
 *
 * @param estimates who would get it now, of those campaigns where that is known
 */
export async function estimatedFinishes(
  ctx: Reading,
  rows: readonly CampaignRow[],
  estimates: ReadonlyMap<string, RoughAudience> = new Map(),
): Promise<ReadonlyMap<string, Date | null>> {
  const open = rows.filter(({ status }) => status === 'scheduled' || status === 'sending');
  const strangers = await newPeopleOf(
    ctx,
    open.filter((row) => warmsUp(row) && !estimates.has(row.id)),
  );
  const inputs = open.flatMap((row): ForecastInput[] => {
    const estimate = estimates.get(row.id);
    const newPeople = warmsUp(row) ? (estimate ?? strangers.get(row.id))?.newPeople : 0;
    const count = estimate ? eligibleOf(estimate) : row.remaining;
    if (newPeople === undefined || count === null) return [];
    return [{ row, left: { count, newPeople }, startsAt: startOf(row, count, ctx.now) }];
  });
  const timetables = await forecast(ctx, inputs);
  return new Map(inputs.map((input, n) => [input.row.id, endFor(input, timetables[n])]));
}

/** Whether it matters how many of its people the number meets for the first time. */
const warmsUp = ({ provider, target }: CampaignRow): boolean =>
  provider === 'paired' && target !== 'groups';

/** One that is running waits for no hour once nobody is left: it is over as soon as the last answers are in. */
function startOf(row: CampaignRow, left: number, now: Date): Date {
  const waits = left > 0 ? waitingUntil(row, now) : null;
  const from = row.status === 'scheduled' ? row.send_at : waits;
  return from && from > now ? from : now;
}

function endFor(
  { row, left, startsAt }: ForecastInput,
  timetable: Timetable | undefined,
): Date | null {
  if (left.count === 0) return paceOf(row) === null ? null : startsAt;
  return timetable ? finishOf(timetable, paceOf(row)) : null;
}

const NEW_PEOPLE = `
select c.id, (case when c.frozen_at is null
    then (select count(*) from unnest(c.contact_ids) r (contact_id) where not ${countedFor('c.number_id')})
    else (select count(*) from campaign_recipients r where r.organization_id = $1 and r.campaign_id = c.id
      and r.status = 'pending' and not ${countedFor('c.number_id')}) end)::int as "newPeople"
from campaigns c where c.organization_id = $1 and c.id = any ($2)`;

/** How many of those left each campaign's number meets for the first time; none before rules have been evaluated. */
async function newPeopleOf(
  { sql, organizationId }: Reading,
  rows: readonly CampaignRow[],
): Promise<ReadonlyMap<string, Pick<Left, 'newPeople'>>> {
  const known = rows.filter(({ frozen_at: at, target }) => at !== null || target === 'contacts');
  if (known.length === 0) return new Map();
  const ids = known.map(({ id }) => id);
  const counted = await sql.rows<{ id: string; newPeople: number }>(NEW_PEOPLE, [
    organizationId,
    ids,
  ]);
  return new Map(counted.map((each) => [each.id, each]));
}

/** What the numbers' daily limits allow, as of the days on which these begin; by campaign, where there are any. */
async function daysOf(
  { sql, organizationId }: Reading,
  inputs: readonly ForecastInput[],
): Promise<ReadonlyMap<string, DayLimits>> {
  const asked = inputs.flatMap(({ row, startsAt: at }) => {
    const { id, number_id: numberId, provider, daily_limit: dailyLimit, time_zone: timeZone } = row;
    if (numberId === null || provider === null) return [];
    const number = { organizationId, numberId, provider, dailyLimit, timeZone };
    return isLimited(number) ? [{ id, number, at }] : [];
  });
  const rooms = await roomsOn(sql, organizationId, asked);
  return new Map(
    asked.flatMap(({ id, number }, n) => {
      const room = rooms[n];
      return room ? [[id, limitsOf(number, room)] as const] : [];
    }),
  );
}

const limitsOf = (
  { timeZone, dailyLimit: each }: LimitedNumber,
  { messages, newPeople, warmUpDay }: DayRoom,
): DayLimits => ({
  timeZone,
  messages: each === null ? null : { today: messages ?? each, each },
  warmUp: newPeople === null ? null : { day: warmUpDay, today: newPeople },
});
