import { first, type Sql } from '../../db/sql.ts';
import type { Provider } from '../../numbers/rules.ts';
import { dayOf } from './quiet-hours.ts';
import { warmUpCap } from './warm-up.ts';

/** What a number may still send today; null for no limit. */
export interface DayRoom {
  /** From the limit that a person set for the number. */
  readonly messages: number | null;
  /** From the warm-up of a paired number: people with whom it has never exchanged messages. */
  readonly newPeople: number | null;
  /** On how many days it has written to new people, including today. */
  readonly warmUpDay: number;
}

export interface LimitedNumber {
  readonly organizationId: string;
  readonly numberId: string;
  readonly provider: Provider;
  readonly dailyLimit: number | null;
  readonly timeZone: string;
}

/** Whether days are counted at all: numbers of WhatsApp's own API have no warm-up. */
export const isLimited = ({ provider, dailyLimit }: LimitedNumber): boolean =>
  provider === 'paired' || dailyLimit !== null;

/**
 * What is left of today, in the transaction of a claim. Locks the number's day first, so that two campaigns never
 * share the last place.
 */
export async function roomToday(sql: Sql, number: LimitedNumber, now: Date): Promise<DayRoom> {
  const { organizationId, numberId } = number;
  await sql.rows(
    `insert into campaign_days as d (organization_id, number_id, day, begun) values ($1, $2, $3, 0)
     on conflict (organization_id, number_id, day) do update set begun = d.begun`,
    [organizationId, numberId, dayOf(number.timeZone, now)],
  );
  const row = await first<DayRow>(sql, ROOMS, paramsOf(organizationId, [{ number, at: now }]));
  return roomOf(number, row);
}

/** A number and the moment whose day is asked about. */
interface OnDay {
  readonly number: LimitedNumber;
  readonly at: Date;
}

interface DayRow {
  readonly begun: number;
  readonly today: number;
  readonly days_before: number;
}

const ROOMS = `
select coalesce(d.begun, 0) as begun, f.today, f.days_before
from unnest($2::text[], $3::date[]) with ordinality q (number_id, day, n)
left join campaign_days d on d.organization_id = $1 and d.number_id = q.number_id and d.day = q.day
cross join lateral (
  select count(*) filter (where day = q.day) as today, count(distinct day) filter (where day < q.day) as days_before
  from first_contacts where organization_id = $1 and number_id = q.number_id) f
order by q.n`;

const paramsOf = (organizationId: string, asked: readonly OnDay[]): unknown[] => [
  organizationId,
  asked.map(({ number }) => number.numberId),
  asked.map(({ number, at }) => dayOf(number.timeZone, at)),
];

/** What is left of each of these days at the moment, without reserving it; numbers of one workspace. */
export async function roomsOn(
  sql: Sql,
  organizationId: string,
  asked: readonly OnDay[],
): Promise<DayRoom[]> {
  if (asked.length === 0) return [];
  const rows = await sql.rows<DayRow>(ROOMS, paramsOf(organizationId, asked));
  return asked.map(({ number }, n) => roomOf(number, rows[n]));
}

function roomOf({ provider, dailyLimit }: LimitedNumber, row: DayRow | null | undefined): DayRoom {
  const { begun = 0, today = 0, days_before: daysBefore = 0 } = row ?? {};
  const warmUpDay = daysBefore + 1;
  return {
    messages: dailyLimit === null ? null : Math.max(0, dailyLimit - begun),
    newPeople: provider === 'paired' ? Math.max(0, warmUpCap(warmUpDay) - today) : null,
    warmUpDay,
  };
}

/** SQL: whether messages were exchanged in conversation `v`, so that its person is not new. */
export const KNOWN = 'v.last_message_at is not null';

/**
 * SQL: whether a campaign of the number has counted the contact as a new person before. `$1` is the workspace. Found by
 * the contact: with the number as it is, a plan for a young table reads all whom the number has met.
 *
 * @param number the number's id, as a parameter or column
 * @param contact the contact's id, likewise
 */
export const countedBefore = (number: string, contact: string): string =>
  `exists (select from first_contacts f
    where f.organization_id = $1 and f.contact_id = ${contact} and f.number_id || '' = ${number} offset 0)`;

/**
 * SQL: whether the number may write to recipient `r` even when the day has no room for new people, because the person
 * is not new, or was already counted at an earlier attempt. `$1` is the workspace.
 *
 * @param number the parameter with the number's id, such as `$3`
 */
export const countedFor = (
  number: string,
  contact = 'r.contact_id',
): string => `(exists (select from conversations v
    where v.organization_id = $1 and v.number_id = ${number} and v.contact_id = ${contact} and ${KNOWN})
  or ${countedBefore(number, contact)})`;

/** A recipient, and the day on which its claim was counted: what was claimed before midnight may come back after it. */
interface Counted {
  readonly recipientId: string;
  readonly token: string;
  readonly countedOn?: string;
}

/**
 * Takes back what claims counted for messages that were never sent, or turned away for reasons of the number, in the
 * transaction that gives them back and before it does: only of those that are still under their claim's token, for a
 * commit whose answer was lost is repeated.
 */
export async function uncountClaimed(
  sql: Sql,
  { organizationId, numberId }: LimitedNumber,
  campaignId: string,
  counted: readonly Counted[],
): Promise<void> {
  if (counted.length === 0) return;
  const days = counted.map(({ countedOn }) => countedOn ?? null);
  // A statement of its own: the next one must see what a commit that is still under way has given back.
  await sql.rows(
    `select from campaign_days where organization_id = $1 and number_id = $2 and day = any($3::date[])
     order by day for update`,
    [organizationId, numberId, days],
    'campaign-day-lock',
  );
  await sql.rows(
    `update campaign_days d set begun = greatest(0, d.begun - back.count)
     from (select c.day, count(*) from unnest($3::text[], $4::date[], $6::text[]) c (recipient_id, day, token)
       cross join lateral (select r.attempt_token, r.status from campaign_recipients r
         where r.organization_id = $1 and r.campaign_id = $5 and r.id = c.recipient_id limit 1) r
       where r.attempt_token = c.token and r.status = 'sending' group by c.day) back
     where d.organization_id = $1 and d.number_id = $2 and d.day = back.day`,
    [
      organizationId,
      numberId,
      counted.map(({ recipientId }) => recipientId),
      days,
      campaignId,
      counted.map(({ token }) => token),
    ],
    'campaign-day-uncount',
  );
}

/**
 * Counts what was claimed, in the claim's transaction. A person counts only once, however often the message is tried;
 * a message counts each time it is begun, except where WhatsApp turned the number away.
 *
 * @returns the number's day on which it was counted
 */
export async function countClaimed(
  sql: Sql,
  number: LimitedNumber,
  { begun, contacts }: { readonly begun: number; readonly contacts: readonly string[] },
  now: Date,
): Promise<string> {
  const { organizationId, numberId, provider } = number;
  const day = dayOf(number.timeZone, now);
  if (begun === 0) return day;
  await sql.rows(
    `update campaign_days set begun = begun + $4
     where organization_id = $1 and number_id = $2 and day = $3`,
    [organizationId, numberId, day, begun],
  );
  if (provider !== 'paired') return day;
  await sql.rows(
    `insert into first_contacts (organization_id, number_id, contact_id, day)
     select $1, $2, i.id, $4 from unnest($3::text[]) i (id)
     where not exists (select from conversations v where v.organization_id = $1 and v.number_id = $2
       and v.contact_id = i.id and ${KNOWN})
     on conflict do nothing`,
    [organizationId, numberId, contacts, day],
  );
  return day;
}

type AnyNumber = Pick<LimitedNumber, 'organizationId' | 'numberId'>;

/** Locks the number's day, as claims do before they lock anything else of it. */
export const lockToday = (
  sql: Sql,
  { organizationId, numberId }: AnyNumber,
  now: Date,
): Promise<unknown> =>
  sql.rows(
    `insert into campaign_days as d (organization_id, number_id, day, begun)
     select $1, $2, ($3::timestamptz at time zone w.time_zone)::date, 0 from workspaces w where w.organization_id = $1
     on conflict (organization_id, number_id, day) do update set begun = d.begun`,
    [organizationId, numberId, now],
  );

/**
 * Counts what the number has begun today, whose day is locked. Without a limit nothing is counted, so one that begins
 * during the day would let as many go out again. Campaigns that ended before yesterday are not read.
 */
export const countSoFar = (
  sql: Sql,
  { organizationId, numberId }: AnyNumber,
  now: Date,
): Promise<unknown> =>
  sql.rows(
    `update campaign_days d set begun = greatest(d.begun, (select count(*) from campaigns c
       join campaign_recipients r on r.organization_id = $1 and r.campaign_id = c.id
       where c.organization_id = $1 and c.number_id = $2
         and coalesce(c.finished_at, $3) > $3::timestamptz - interval '2 days'
         and (r.claimed_at at time zone w.time_zone)::date = d.day))
     from workspaces w
     where w.organization_id = $1 and d.organization_id = $1 and d.number_id = $2
       and d.day = ($3::timestamptz at time zone w.time_zone)::date`,
    [organizationId, numberId, now],
  );
