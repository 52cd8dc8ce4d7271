import { visibleRuns } from '../access/visibility.ts';
import type { ReadContext } from '../context.ts';
import { binding, equalBy, oneByOne } from '../db/sql.ts';
import { timeZoneOf } from '../workspaces/service.ts';
import type { AnswerDay } from './answers.ts';
import { frameOf } from './frame.ts';
import { daysParams, EFFORTS } from './measures.ts';
import { type Period, periodOf, type Range, withPrevious } from './period.ts';
import {
  ENOUGH_SAMPLES,
  MINUTES_PER_MESSAGE,
  median,
  toOneDecimal,
  weightedMedian,
} from './rules.ts';
import type { AutomationReport, ReportQuery } from './schema.ts';
import { answersIn, overRows, type Sources, sourcesOf, touchedBy } from './sources.ts';

const MOST_QUESTIONS = 10;

/** What automations did for the team (specification, Reports; design decisions §20). */
export async function automationReport(
  ctx: ReadContext,
  query: ReportQuery,
): Promise<AutomationReport> {
  const timeZone = await timeZoneOf(ctx);
  const period = periodOf(query, timeZone, ctx.now);
  const effort = await perMessage(ctx, timeZone);
  const { now, before } = await talksOf(ctx, query, period, timeZone);
  const minutes = (messages: number): number => toOneDecimal(messages * effort.per_message);
  return {
    ...frameOf(ctx, period, timeZone),
    ...now.talk,
    saved: { minutes: minutes(now.automated), ...effort },
    days: now.days,
    automations: await runsOf(ctx, query, period),
    questions: topQuestions(now.answers),
    previous: { ...before.talk, saved_minutes: minutes(before.automated) },
  };
}

interface DaySum {
  readonly day: string;
  readonly automated: number;
  readonly ai: number;
  readonly team: number;
}

interface Conversations {
  readonly current: boolean;
  readonly count: number;
  readonly without_agent: number;
  readonly handed_over: number;
}

interface Found {
  readonly sums: readonly DaySum[];
  readonly conversations: Conversations | undefined;
  readonly answers: readonly AnswerDay[];
}

/** The figures of the period and of the one before, in a single query. */
async function talksOf(ctx: ReadContext, query: ReportQuery, period: Period, timeZone: string) {
  const sources = await sourcesOf(ctx, query, withPrevious(period), timeZone);
  const sums = await daySums(sources);
  const conversations = await overRows<Conversations>(sources, 'report_conversation_days', (bind) =>
    conversationsOf(bind(period.from), touchedBy(query, bind)),
  );
  const answers = await answersIn(sources);
  const those = (current: boolean): Found => {
    const within = ({ day }: { readonly day: string }): boolean => day >= period.from === current;
    return {
      sums: sums.filter(within),
      conversations: conversations.find((row) => row.current === current),
      answers: answers.filter(within),
    };
  };
  return { now: talkOf(period, those(true)), before: talkOf(period.previous, those(false)) };
}

function talkOf(range: Range, { sums, conversations, answers }: Found) {
  const byDay = new Map(sums.map((row) => [row.day, row]));
  const total = (of: (row: DaySum) => number): number =>
    sums.reduce((sum, row) => sum + of(row), 0);
  return {
    automated: total((row) => row.automated),
    answers,
    days: range.days.map(({ day }) => ({
      day,
      automated: byDay.get(day)?.automated ?? 0,
      team: byDay.get(day)?.team ?? 0,
    })),
    talk: {
      count: conversations?.count ?? 0,
      without_agent: conversations?.without_agent ?? 0,
      ai_replies: total((row) => row.ai),
      handed_over: conversations?.handed_over ?? 0,
      ai_seconds: secondsOf(answers),
    },
  };
}

const daySums = (sources: Sources): Promise<DaySum[]> =>
  overRows(
    sources,
    'report_message_days',
    () =>
      `select day, sum(automated)::int as automated, sum(ai)::int as ai, sum(team)::int as team from rows group by day`,
  );

/**
 * Conversations in which an automation wrote; those that ended without a member; and those that went to a member,
 * because a run handed over or a person wrote after the automation.
 */
const conversationsOf = (from: string, touched: readonly string[]): string =>
  `select current, count(*) filter (where automated)::int as count,
    count(*) filter (where automated and closed and not by_team)::int as without_agent,
    count(*) filter (where handed_over or automated and last_by_team > first_automated)::int as handed_over
  from (select conversation_id, day >= ${from}::date as current, bool_or(automated) as automated, bool_or(closed) as closed, bool_or(by_team) as by_team,
      bool_or(handed_over) as handed_over, max(last_by_team) as last_by_team,
      min(first_automated) filter (where automated) as first_automated
    from rows group by 1, 2 ${touched.length > 0 ? `having ${touched.join(' and ')}` : ''}) c group by current`;

function secondsOf(answers: readonly AnswerDay[]): number | null {
  const took = new Map<number, number>();
  for (const { ai_seconds, ai_times } of answers)
    for (const [i, seconds] of ai_seconds.entries())
      took.set(seconds, (took.get(seconds) ?? 0) + (ai_times[i] ?? 0));
  const middle = weightedMedian(took);
  return middle === null ? null : toOneDecimal(middle);
}

function topQuestions(answers: readonly AnswerDay[]): { text: string; count: number }[] {
  const asked = new Map<string, number>();
  for (const { question, times } of answers)
    if (question !== '') asked.set(question, (asked.get(question) ?? 0) + times);
  return [...asked]
    .map(([text, count]) => ({ text, count }))
    .sort((a, b) => b.count - a.count || (a.text < b.text ? -1 : 1))
    .slice(0, MOST_QUESTIONS);
}

/** Minutes a member needs per message: the workspace's median over 30 days, if there are enough samples. */
async function perMessage(ctx: ReadContext, timeZone: string) {
  const range = periodOf({ period: '30d' }, timeZone, ctx.now);
  const everything = { period: '30d' } as const;
  const { open } = await sourcesOf(ctx, everything, range, timeZone);
  const written = await ctx.sql.rows<{ minutes: number[] }>(
    `select member_minutes as minutes from report_days
     where organization_id = $1 and day between $2 and $3 and day <> all($4::date[])`,
    [ctx.organizationId, range.from, range.to, open.map(({ day }) => day)],
  );
  const live = await ctx.sql.rows<{ minutes: number[] }>(EFFORTS, daysParams(ctx, open));
  const samples = [...written, ...live].flatMap(({ minutes }) => minutes);
  const middle = median(samples);
  return samples.length >= ENOUGH_SAMPLES && middle !== null
    ? { per_message: toOneDecimal(middle), measured: true }
    : { per_message: MINUTES_PER_MESSAGE, measured: false };
}

/** Runs that began in the range, by automation; active automations without any are listed too. */
async function runsOf(
  ctx: ReadContext,
  query: ReportQuery,
  { days }: Period,
): Promise<AutomationReport['automations']> {
  const { params, bind } = binding(ctx.organizationId, days[0]?.start, days.at(-1)?.end);
  const equal = equalBy(bind);
  const ofConversation = [
    ...equal('v.number_id', query.number),
    ...equal('v.assigned_team_id', query.team),
    ...equal('v.assigned_member_id', query.agent),
  ];
  const ofContact = [
    ...equal('c.origin', query.origin),
    ...(query.pipeline === undefined
      ? []
      : [
          `exists (select from deals x where x.organization_id = $1 and x.contact_id = c.id and x.pipeline_id = ${bind(query.pipeline)})`,
        ]),
  ];
  const conditions = [
    ...(ofConversation.length === 0
      ? []
      : [
          oneByOne(
            `exists (select from conversations v where v.organization_id = $1 and v.id = r.conversation_id and ${ofConversation.join(' and ')})`,
          ),
        ]),
    ...(ofContact.length === 0
      ? []
      : [
          oneByOne(
            `exists (select from contacts c where c.organization_id = $1 and c.id = r.contact_id and ${ofContact.join(' and ')})`,
          ),
        ]),
    ...equal("r.trigger->>'ref'", query.campaign),
    visibleRuns(ctx.actor, bind),
  ];
  const which = equal('a.id', query.automation);
  return ctx.sql.rows(
    `select a.id, a.name, coalesce(s.runs, 0) as runs, coalesce(s.succeeded, 0) as succeeded,
       coalesce(s.failed, 0) as failed, coalesce(s.done, 0) as done
     from automations a
     left join (
       select r.automation_id, count(*)::int as runs, count(*) filter (where r.status = 'succeeded')::int as succeeded,
         count(*) filter (where r.status = 'failed')::int as failed,
         count(*) filter (where r.status not in ('running', 'waiting'))::int as done
       from automation_runs r
       where r.organization_id = $1 and r.started_at >= $2 and r.started_at < $3${conditions.map((one) => ` and ${one}`).join('')}
       group by r.automation_id
     ) s on s.automation_id = a.id
     where a.organization_id = $1 and (s.runs > 0 or a.status = 'active')${which.map((one) => ` and ${one}`).join('')}
     order by runs desc, a.id desc`,
    params,
  );
}
