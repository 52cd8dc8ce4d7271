import { restrictedMember, visibleConversations } from '../access/visibility.ts';
import type { ReadContext } from '../context.ts';
import { type Bind, binding, first } from '../db/sql.ts';
import { type AnswerDay, answersOn } from './answers.ts';
import {
  BEGINNING,
  CONVERSATION_COLUMNS,
  CONVERSATION_DAYS,
  daysParams,
  MESSAGE_COLUMNS,
  MESSAGE_DAYS,
  stands,
} from './measures.ts';
import type { Range, ReportDay } from './period.ts';
import type { ReportQuery } from './schema.ts';

/** The days of a range: those with stored figures, and those counted from the messages now. */
export interface Sources {
  readonly ctx: ReadContext;
  readonly query: ReportQuery;
  readonly range: Range;
  readonly open: readonly ReportDay[];
}

/** Which days have stored figures that stand in the zone of the report. */
export async function sourcesOf(
  ctx: ReadContext,
  query: ReportQuery,
  range: Range,
  timeZone: string,
): Promise<Sources> {
  const rows = await ctx.sql.rows<{ day: string; stands: boolean }>(
    `select day, ${stands('$4')} as stands from report_days where organization_id = $1 and day between $2 and $3`,
    [ctx.organizationId, range.from, range.to, timeZone],
    'report-days',
  );
  const written = new Map(rows.map((row) => [row.day, row.stands]));
  const since = await beginningOf(ctx);
  const open = range.days.filter(({ day, whole, end }) =>
    written.has(day) ? !(whole && written.get(day)) : since !== null && end > since,
  );
  return { ctx, query, range, open };
}

async function beginningOf({ sql, organizationId }: ReadContext): Promise<Date | null> {
  const row = await first<{ since: Date | null }>(
    sql,
    `select ${BEGINNING} as since`,
    [organizationId],
    'reports-begin',
  );
  return row?.since ?? null;
}

type Table = 'report_message_days' | 'report_conversation_days' | 'report_answer_days';

/**
 * Runs a query over the rows of the range that the filters and the actor's visibility allow; the query refers to them
 * as `rows`. Stored days come from the table, open ones are computed from the messages in the same shape.
 */
export function overRows<R>(
  { ctx, query, range, open }: Sources,
  table: 'report_message_days' | 'report_conversation_days',
  select: (bind: Bind) => string,
): Promise<R[]> {
  // PostgreSQL must know the type of every parameter, so those for open days are left out if there are none.
  const { params, bind } = binding(
    ...(open.length > 0 ? daysParams(ctx, open) : [ctx.organizationId, []]),
  );
  const live = table === 'report_message_days' ? MESSAGE_DAYS : CONVERSATION_DAYS;
  const columns = COLUMNS[table];
  const where = filters(ctx, query, table, bind);
  // Filtered after the grouping (`offset 0`): a join of one number with its conversations would group the days anew
  // for each of them.
  return ctx.sql.rows<R>(
    `with rows as (
       select * from (
         select ${columns} from ${table} where organization_id = $1 and day between ${bind(range.from)} and ${bind(range.to)}
           and day <> all($2::date[])
         ${open.length > 0 ? `union all select ${columns} from (${live} offset 0) live` : ''}
       ) r where ${where}
     ) ${select(bind)}`,
    params,
  );
}

const COLUMNS = {
  report_message_days: MESSAGE_COLUMNS,
  report_conversation_days: CONVERSATION_COLUMNS,
} as const;

/** What people asked over the range, and how fast the AI answered. */
export async function answersIn(sources: Sources): Promise<AnswerDay[]> {
  const { ctx, query, range, open } = sources;
  const { params, bind } = binding(
    ctx.organizationId,
    range.from,
    range.to,
    open.map(({ day }) => day),
  );
  const live = await answersOn(ctx.sql, ctx.organizationId, open);
  const columns = `day date, number_id text, team_id text, member_id text, automation_id text, origin text,
    pipeline_ids text[], question text, times int, ai_seconds real[], ai_times int[]`;
  return ctx.sql.rows<AnswerDay>(
    `select * from (
       select day, number_id, team_id, member_id, automation_id, origin, pipeline_ids, question, times, ai_seconds, ai_times
       from report_answer_days where organization_id = $1 and day between $2 and $3 and day <> all($4::date[])
       union all
       select * from jsonb_to_recordset(${bind(JSON.stringify(live))}) as l (${columns})
     ) r where ${filters(ctx, query, 'report_answer_days', bind)}`,
    params,
  );
}

/** The report's filters, all of which must hold, and the visibility of the member who asks. */
function filters(ctx: ReadContext, query: ReportQuery, table: Table, bind: Bind): string {
  const equal = (column: string, value: string | undefined): string[] =>
    value === undefined ? [] : [`r.${column} = ${bind(value)}`];
  const within = (column: string, value: string | undefined): string[] =>
    value === undefined ? [] : [`${bind(value)} = any(r.${column})`];
  const campaign = table === 'report_answer_days' ? noCampaign : equal;
  return [
    ...equal('number_id', query.number),
    ...equal('team_id', query.team),
    ...equal('member_id', query.agent),
    ...equal('origin', query.origin),
    ...within('pipeline_ids', query.pipeline),
    ...(table === 'report_conversation_days'
      ? []
      : [...equal('automation_id', query.automation), ...campaign('campaign_id', query.campaign)]),
    visible(ctx, bind),
  ].join(' and ');
}

/**
 * The conversations that a filter by automation or campaign allows, as conditions on each one's rows together: its
 * end, or the member who took over, may be on a different day than the automation's messages.
 */
export const touchedBy = ({ automation, campaign }: ReportQuery, bind: Bind): string[] =>
  [['automation_ids', automation] as const, ['campaign_ids', campaign] as const].flatMap(
    ([column, value]) => (value === undefined ? [] : [`bool_or(${bind(value)} = any(${column}))`]),
  );

/** Answers are not attributed to campaigns. */
const noCampaign = (_: string, value: string | undefined): string[] =>
  value === undefined ? [] : ['false'];

/** The rule of `visibleConversations`, for rows in which `''` means no one. */
function visible({ actor, organizationId }: ReadContext, bind: Bind): string {
  if (!restrictedMember(actor)) return 'true';
  const shaped = `(select ${bind(organizationId)}::text as organization_id, r.number_id,
    nullif(r.team_id, '') as assigned_team_id, nullif(r.member_id, '') as assigned_member_id)`;
  return `exists (select from ${shaped} shaped where ${visibleConversations(actor, 'shaped', bind)})`;
}
