import { type Database, inWorkspace } from '../db/database.ts';
import { first, type Sql } from '../db/sql.ts';
import type { Sweep } from '../db/sweeping.ts';
import { workspacesAfter } from '../db/workspaces.ts';
import { DAY_MS, HOUR_MS } from '../durations.ts';
import { answersOn } from './answers.ts';
import {
  BEGINNING,
  CONVERSATION_COLUMNS,
  CONVERSATION_DAYS,
  daysParams,
  EFFORTS,
  MESSAGE_COLUMNS,
  MESSAGE_DAYS,
  stands,
} from './measures.ts';
import { daysBefore, type ReportDay } from './period.ts';

/** WhatsApp repeats status webhooks for up to seven days, so a day's figures are recomputed for that long. */
const SETTLED_AFTER_DAYS = 8;
/** A day that can still change is recomputed once a day. */
const AGAIN_AFTER_MS = 20 * HOUR_MS;

interface Control {
  readonly now: Date;
  /** Asked between days. */
  readonly mayGoOn: () => boolean;
}

/** Writes down the days that are over, of all workspaces. */
export const daysWriting = (
  database: Pick<Database, 'app' | 'system'>,
  control: Control,
): Sweep => ({
  page: (after) => workspacesAfter(database, after),
  tend: (organizationId) => rollUpWorkspace(database, organizationId, control),
});

/**
 * Stores the figures of the workspace's past days that are not stored yet or may have changed since, each day in its
 * own transaction. Safe to repeat.
 *
 * @returns how many days were stored
 */
export async function rollUpWorkspace(
  database: Pick<Database, 'app'>,
  organizationId: string,
  { now, mayGoOn }: Control,
): Promise<number> {
  const { timeZone, due } = await inWorkspace(database, organizationId, (sql) =>
    dueDays(sql, organizationId, now),
  );
  let written = 0;
  for (const day of due) {
    // At least one: none would say that nothing is left.
    if (written > 0 && !mayGoOn()) break;
    await inWorkspace(database, organizationId, (sql) =>
      writeDay(sql, { organizationId, timeZone, now }, day),
    );
    written += 1;
  }
  return written;
}

interface Written {
  readonly day: string;
  readonly rolled_at: Date;
  readonly stands: boolean;
}

async function dueDays(sql: Sql, organizationId: string, now: Date) {
  const start = await first<{ time_zone: string; first: Date | null }>(
    sql,
    `select w.time_zone, ${BEGINNING} as first
     from workspaces w where w.organization_id = $1`,
    [organizationId],
  );
  const timeZone = start?.time_zone ?? 'UTC';
  if (!start?.first) return { timeZone, due: [] };
  const written = await sql.rows<Written>(
    `select day, rolled_at, ${stands('$2')} as stands from report_days where organization_id = $1`,
    [organizationId, timeZone],
  );
  const known = new Map(written.map((row) => [row.day, row]));
  const days = daysBefore(now, start.first, timeZone);
  return { timeZone, due: days.filter((day) => isDue(day, known.get(day.day), now)) };
}

function isDue({ end }: ReportDay, written: Written | undefined, now: Date): boolean {
  if (!written?.stands) return true;
  const settledAt = end.getTime() + SETTLED_AFTER_DAYS * DAY_MS;
  if (written.rolled_at.getTime() >= settledAt) return false;
  return now.getTime() - written.rolled_at.getTime() > AGAIN_AFTER_MS;
}

async function writeDay(
  sql: Sql,
  { organizationId, timeZone, now }: { organizationId: string; timeZone: string; now: Date },
  day: ReportDay,
): Promise<void> {
  const params = daysParams({ organizationId }, [day]);
  await sql.rows('delete from report_days where organization_id = $1 and day = $2', [
    organizationId,
    day.day,
  ]);
  const effort = await first<{ minutes: number[] }>(sql, EFFORTS, params);
  await sql.rows('insert into report_days values ($1, $2, $3, $4, $5)', [
    organizationId,
    day.day,
    timeZone,
    effort?.minutes ?? [],
    now,
  ]);
  await sql.rows(
    `insert into report_message_days (organization_id, ${MESSAGE_COLUMNS}) select $1, * from (${MESSAGE_DAYS}) figures`,
    params,
  );
  await sql.rows(
    `insert into report_conversation_days (organization_id, ${CONVERSATION_COLUMNS}) select $1, * from (${CONVERSATION_DAYS}) figures`,
    params,
  );
  const answers = await answersOn(sql, organizationId, [day]);
  await sql.rows(
    `insert into report_answer_days select $1, r.day, r.number_id, r.team_id, r.member_id, r.automation_id, r.origin,
       r.pipeline_ids, r.question, r.times, r.ai_seconds, r.ai_times
     from jsonb_to_recordset($2) as r (day date, number_id text, team_id text, member_id text, automation_id text,
       origin text, pipeline_ids text[], question text, times int, ai_seconds real[], ai_times int[])`,
    [organizationId, JSON.stringify(answers)],
  );
}
