/** The rows that figures are counted from: SQL from its `from` on, with the day or the moment of each as `d.day`. */
export interface Rows {
  /** Messages `m`. */
  readonly messages: (condition: string) => string;
  /** Conversations `v` that are closed. */
  readonly closed: string;
  /** Activities `a` of closing one. */
  readonly closings: string;
  /** Runs `r` that handed over. */
  readonly handovers: string;
}

const DAYS = `from unnest($2::date[], $3::timestamptz[], $4::timestamptz[], $5::text[], $6::text[])
  as d (day, starts, ends, low, high)`;

/** A day's rows of a table (`offset 0`: the planner would prefer to join all days with all rows). */
const eachDay = (table: string, alias: string, time: string, condition: string): string =>
  `${DAYS} cross join lateral (select * from ${table} ${alias} where ${alias}.organization_id = $1
    and ${time} >= d.starts and ${time} < d.ends and ${condition} offset 0) ${alias}`;

/**
 * Those of days, `$1` to `$6` as `daysParams` has them. Messages and activities by id, which sorts by time, so no index is
 * needed for reports alone.
 */
export const OF_DAYS = {
  messages: (condition) =>
    eachDay('messages', 'm', 'm.created_at', `m.id >= d.low and m.id < d.high and ${condition}`),
  closed: eachDay('conversations', 'v', 'v.closed_at', 'true'),
  closings: eachDay(
    'conversation_activities',
    'a',
    'a.created_at',
    `a.id >= 'act' || substr(d.low, 4) and a.id < 'act' || substr(d.high, 4) and a.type = 'closed'`,
  ),
  handovers: eachDay(
    'automation_runs',
    'r',
    'r.finished_at',
    `r.status = 'handed_over' and r.conversation_id is not null`,
  ),
  /** Recipients of campaigns `r` that were left out. */
  skipped: eachDay('campaign_recipients', 'r', 'r.skipped_at', 'true'),
} satisfies Rows & { readonly skipped: string };

/** What is kept of deleted people on those days, as `x`. */
export const remainsOfDays = (table: string): string => eachDay(table, 'x', 'x.at', 'true');

const ofEach = (table: string, alias: string, time: string, condition: string): string =>
  `from ${table} ${alias} cross join lateral (select ${time} as day) d
   where ${alias}.organization_id = $1 and ${condition}`;

/** Those there ever were of the conversations `$2`, each for its own moment. */
export const OF_CONVERSATIONS: Rows = {
  messages: (condition) =>
    ofEach('messages', 'm', 'm.created_at', `m.conversation_id = any($2) and ${condition}`),
  closed: ofEach('conversations', 'v', 'v.closed_at', 'v.id = any($2) and v.closed_at is not null'),
  closings: ofEach(
    'conversation_activities',
    'a',
    'a.created_at',
    `a.conversation_id = any($2) and a.type = 'closed'`,
  ),
  handovers: ofEach(
    'automation_runs',
    'r',
    'r.finished_at',
    `r.conversation_id = any($2) and r.status = 'handed_over'`,
  ),
};
