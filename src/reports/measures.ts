import { said } from '../automated/answers.ts';
import type { ReadContext } from '../context.ts';
import { idFloor } from '../ids.ts';
import type { ReportDay } from './period.ts';
import { OF_DAYS, type Rows, remainsOfDays } from './rows.ts';

/** An id may be this much older or newer than its row's time, because of late commits and clock differences. */
const SLACK_MS = 10 * 60_000;

/** `$1` to `$6` of every measure: the workspace and its days, each with its times and the ids between them. */
export function daysParams(
  { organizationId }: Pick<ReadContext, 'organizationId'>,
  days: readonly ReportDay[],
): unknown[] {
  const shifted = (time: Date, ms: number): Date => new Date(Math.max(0, time.getTime() + ms));
  return [
    organizationId,
    days.map(({ day }) => day),
    days.map(({ start }) => start),
    days.map(({ end }) => end),
    days.map(({ start }) => idFloor('msg', shifted(start, -SLACK_MS))),
    days.map(({ end }) => idFloor('msg', shifted(end, SLACK_MS))),
  ];
}

/**
 * Nothing can be counted before the first message, which may be that of a deleted person, or the first campaign, which
 * may have reached no one.
 */
export const BEGINNING = `least(
  (select m.created_at from messages m where m.organization_id = $1 order by m.id limit 1),
  (select min(x.at) from report_message_remains x where x.organization_id = $1),
  (select p.created_at from campaigns p where p.organization_id = $1 order by p.id limit 1))`;

/**
 * Whether a row of `report_days` stands in the zone, a parameter: it was written in it, or its messages are gone. A plan
 * drops old messages and keeps their figures, so such a day keeps those of its former zone.
 */
export const stands = (zone: string): string => `(time_zone = ${zone}
  or (day + 1)::timestamp at time zone time_zone <= coalesce((${FIRST_KEPT}), 'infinity'))`;

/** The first message that counts: what people wrote counts for nothing, and by it somebody's opt-out is proved for good. */
const FIRST_KEPT = `select m.created_at from messages m
  where m.organization_id = $1 and m.direction = 'outbound' and m.status not in ('queued', 'sending')
  order by m.id limit 1`;

/** The properties that conversations can be filtered by; `v` is the conversation, `c` its contact. */
const OF_CONVERSATION = `coalesce(v.assigned_team_id, '') as team_id, coalesce(v.assigned_member_id, '') as member_id,
  coalesce(c.origin, '') as origin,
  coalesce((select array_agg(distinct x.pipeline_id order by x.pipeline_id) from deals x
    where x.organization_id = $1 and x.contact_id = c.id), '{}') as pipeline_ids`;

const CONVERSATION = `join conversations v on v.organization_id = $1 and v.id = g.conversation_id
  left join contacts c on c.organization_id = $1 and c.id = v.contact_id`;

const ATTEMPTING = `('campaign', 'reminder', 'automation', 'api', 'member')`;
const LEFT_THE_QUEUE = `m.status not in ('queued', 'cancelled')`;

const MESSAGE_PROPERTIES =
  'number_id, team_id, member_id, automation_id, origin, pipeline_ids, campaign_id';
export const MESSAGE_FIGURES = `${MESSAGE_PROPERTIES},
  automated, ai, team, attempted, delivered, lost, no_whatsapp, no_recipient, throttled, out_of_window`;
export const MESSAGE_COLUMNS = `day, ${MESSAGE_FIGURES}`;

const MESSAGE_SUMS = `${MESSAGE_PROPERTIES},
  sum(automated)::int as automated, sum(ai)::int as ai, sum(team)::int as team, sum(attempted)::int as attempted,
  sum(delivered)::int as delivered, sum(lost)::int as lost, sum(no_whatsapp)::int as no_whatsapp,
  sum(no_recipient)::int as no_recipient, sum(throttled)::int as throttled, sum(out_of_window)::int as out_of_window`;

/** A day's sums by number, conversation properties, automation and campaign (design decisions §20). */
export const messageSums = ({ messages }: Rows, more = ''): string => `
with grouped as (
  select d.day, m.conversation_id, m.number_id, coalesce(m.automation_id, '') as automation_id, coalesce(m.campaign_id, '') as campaign_id,
    count(*) filter (where m.source = 'automation') as automated,
    count(*) filter (where m.source = 'automation' and m.author->>'type' = 'ai') as ai,
    count(*) filter (where m.source = 'member') as team,
    count(*) filter (where m.source in ${ATTEMPTING}) as attempted,
    count(*) filter (where m.source in ${ATTEMPTING} and m.status in ('delivered', 'read')) as delivered,
    count(*) filter (where m.source in ${ATTEMPTING} and m.status = 'failed') as lost,
    count(*) filter (where m.source in ${ATTEMPTING} and m.status = 'failed' and m.error->>'reason' = 'no_whatsapp') as no_whatsapp,
    count(*) filter (where m.source in ${ATTEMPTING} and m.status = 'failed' and m.error->>'reason' = 'no_recipient') as no_recipient,
    count(*) filter (where m.source in ${ATTEMPTING} and m.status = 'failed' and m.error->>'reason' = 'throttled') as throttled,
    count(*) filter (where m.source in ${ATTEMPTING} and m.status = 'failed' and m.error->>'reason' = 'out_of_window') as out_of_window,
    null as contact_id
  ${messages(`m.direction = 'outbound' and m.source <> 'phone' and ${LEFT_THE_QUEUE}`)}
  group by 1, 2, 3, 4, 5
  ${more}
), placed as (
  select g.*, ${OF_CONVERSATION} from grouped g
  left join conversations v on v.organization_id = $1 and v.id = g.conversation_id
  left join contacts c on c.organization_id = $1 and c.id = case when v.contact_id is null then g.contact_id else v.contact_id end
)
select day, ${MESSAGE_SUMS} from placed group by day, ${MESSAGE_PROPERTIES}`;

/**
 * Campaigns' recipients that were left out; they stay when the person is deleted. A duplicate is not lost: the person is
 * reached by the message to the other recipient, which counts. Who never talked on the number has no conversation, only
 * a contact.
 */
const SKIPPED = `union all
  select d.day, v.id, p.number_id, '', r.campaign_id, 0, 0, 0, count(*), 0, count(*), 0,
    count(*) filter (where r.reason in ('no_recipient', 'opted_out')), 0, count(*) filter (where r.reason = 'out_of_window'), r.contact_id
  ${OF_DAYS.skipped}
  join campaigns p on p.organization_id = $1 and p.id = r.campaign_id
  left join conversations v on v.organization_id = $1 and v.number_id = p.number_id and v.contact_id = r.contact_id
  where p.number_id is not null and r.reason is distinct from 'duplicate'
  group by 1, 2, 3, 5, r.contact_id`;

export const MESSAGE_DAYS = `${messageSums(OF_DAYS, SKIPPED)}
union all
select d.day, ${MESSAGE_SUMS} ${remainsOfDays('report_message_remains')} group by d.day, ${MESSAGE_PROPERTIES}`;

export const CONVERSATION_FIGURES = `conversation_id, number_id, team_id, member_id, origin, pipeline_ids,
  automation_ids, campaign_ids, automated, by_team, closed, handed_over, first_automated, last_by_team`;
export const CONVERSATION_COLUMNS = `day, ${CONVERSATION_FIGURES}`;

/**
 * One row for each conversation and day in which an automation or the team wrote, or which ended or was handed over.
 * Ends are also read from the activities, because reopening a conversation erases its end.
 */
export const conversationRows = ({ messages, closed, closings, handovers }: Rows): string => `
with found as (
  select d.day, m.conversation_id, m.automation_id, m.campaign_id, m.source, m.id, false as closed, false as handed_over
  ${messages(`m.direction = 'outbound' and m.source in ('automation', 'member', 'phone') and ${LEFT_THE_QUEUE}`)}
  union all
  select d.day, v.id, null, null, null, null, true, false ${closed}
  union all
  select d.day, a.conversation_id, null, null, null, null, true, false ${closings}
  union all
  select d.day, r.conversation_id, r.automation_id, null, null, null, false, true ${handovers}
), grouped as (
  select day, conversation_id,
    coalesce(array_agg(distinct automation_id) filter (where automation_id is not null), '{}') as automation_ids,
    coalesce(array_agg(distinct campaign_id) filter (where campaign_id is not null), '{}') as campaign_ids,
    coalesce(bool_or(source = 'automation'), false) as automated,
    coalesce(bool_or(source in ('member', 'phone')), false) as by_team,
    bool_or(closed) as closed, bool_or(handed_over) as handed_over,
    coalesce(min(id) filter (where source = 'automation'), '') as first_automated,
    coalesce(max(id) filter (where source in ('member', 'phone')), '') as last_by_team
  from found group by 1, 2
)
select g.day, g.conversation_id, v.number_id, ${OF_CONVERSATION}, g.automation_ids, g.campaign_ids,
  g.automated, g.by_team, g.closed, g.handed_over, g.first_automated, g.last_by_team
from grouped g ${CONVERSATION}`;

export const CONVERSATION_DAYS = `${conversationRows(OF_DAYS)}
union all select d.day, ${CONVERSATION_FIGURES} ${remainsOfDays('report_conversation_remains')}`;

/** Each message of an automation that answers a person, with the question, however it was corrected since, and the seconds. */
export const answersIn = ({ messages }: Pick<Rows, 'messages'>): string => `
with answered as (
  select m.day, m.conversation_id, m.automation_id, m.author->>'type' = 'ai' as by_ai, i.text, i.type,
    extract(epoch from m.created_at - i.created_at)::float8 as seconds
  from (select d.day, m.* ${messages(`m.source = 'automation' and ${LEFT_THE_QUEUE}`)}) m
  cross join lateral (
    select p.direction, p.text, p.type, p.created_at from messages p
    where p.organization_id = $1 and p.conversation_id = m.conversation_id and p.id < m.id
      and ${said('p')}
    order by p.id desc limit 1
  ) i
  where i.direction = 'inbound'
)
select g.day, v.number_id, ${OF_CONVERSATION}, coalesce(g.automation_id, '') as automation_id,
  case when g.type = 'text' then g.text else '' end as text, case when g.by_ai then g.seconds end as ai_seconds
from answered g ${CONVERSATION}`;

/** A longer pause does not count as work on the message. */
const LONGEST_EFFORT_MIN = 10;
const MOST_SAMPLES = 500;

/** Minutes between consecutive messages of a member, by day: the time one message takes. */
export const EFFORTS = `
with written as (
  select d.day, m.created_at, lag(m.created_at) over (partition by d.day, m.author->>'id' order by m.id) as before
  ${OF_DAYS.messages(`m.source = 'member' and m.direction = 'outbound'`)}
), taken as (
  select day, extract(epoch from created_at - before) / 60 as minutes,
    row_number() over (partition by day order by created_at desc) as n
  from written where created_at - before between interval '1 second' and interval '${LONGEST_EFFORT_MIN} minutes'
)
select day, array_agg(minutes::real) as minutes from taken where n <= ${MOST_SAMPLES} group by day`;
