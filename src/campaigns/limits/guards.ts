import { audit } from '../../audit/service.ts';
import type { Context } from '../../context.ts';
import { first, type Sql } from '../../db/sql.ts';
import { transact } from '../../db/transact.ts';
import { type FieldProblem, validation } from '../../errors.ts';
import { localTime } from '../../http/fields.ts';
import { recordCommand } from '../../outbox/record.ts';
import {
  changeSettings,
  readSettings,
  type SettingsChange,
  type WorkspaceSettings,
} from '../../workspaces/settings.ts';
import type { QuietHours } from './quiet-hours.ts';

/** The most campaigns that may reach one person within a number of days. */
export interface FrequencyCap {
  readonly messages: number;
  readonly days: number;
}

/** A workspace's limits for all its campaigns; null for none. */
export interface CampaignGuards {
  readonly quiet: QuietHours | null;
  readonly cap: FrequencyCap | null;
}

interface GuardRow {
  readonly time_zone: string;
  readonly quiet_from: string | null;
  readonly quiet_to: string | null;
  readonly cap_messages: number | null;
  readonly cap_days: number | null;
}

/** With the workspace's time zone (IANA), in which quiet hours are given. */
export async function guardsOf(
  sql: Sql,
  organizationId: string,
): Promise<CampaignGuards & { readonly timeZone: string }> {
  const row = await first<GuardRow>(
    sql,
    `select w.time_zone, s.quiet_from, s.quiet_to, s.cap_messages, s.cap_days
     from workspaces w left join campaign_settings s on s.organization_id = w.organization_id
     where w.organization_id = $1`,
    [organizationId],
    'campaign-guards',
  );
  if (!row) return { timeZone: 'UTC', quiet: null, cap: null };
  return {
    timeZone: row.time_zone,
    quiet: quietOf(row),
    cap:
      row.cap_messages === null || row.cap_days === null
        ? null
        : { messages: row.cap_messages, days: row.cap_days },
  };
}

/** The quiet hours in a row with these columns. */
export const quietOf = (
  row: Pick<GuardRow, 'time_zone' | 'quiet_from' | 'quiet_to'>,
): QuietHours | null =>
  row.quiet_from === null || row.quiet_to === null
    ? null
    : { from: row.quiet_from, to: row.quiet_to, timeZone: row.time_zone };

/** What is left out stays; null removes the limit. */
export interface GuardChange {
  readonly quiet?: { readonly from: string; readonly to: string } | null;
  readonly cap?: FrequencyCap | null;
}

const MOST_IN_CAP = 1_000;
const MOST_DAYS = 365;

/** Sets the limits for all campaigns, including running ones. Throws 422 `validation`. */
export const setGuards = (ctx: Context, change: GuardChange): Promise<CampaignGuards> =>
  transact(ctx, async (tx) => {
    const problems = problemsOf(change);
    if (problems.length > 0) throw validation(problems);
    if (Object.keys(change).length === 0) return guardsOf(tx.sql, tx.organizationId);
    await lookAgain(tx);
    // One change at a time, so that what it leaves out stays as the one before it left it.
    await tx.sql.rows('select from workspaces where organization_id = $1 for no key update', [
      tx.organizationId,
    ]);
    const before = await guardsOf(tx.sql, tx.organizationId);
    const quiet = change.quiet === undefined ? before.quiet : change.quiet;
    const cap = change.cap === undefined ? before.cap : change.cap;
    await tx.sql.rows(
      `insert into campaign_settings (organization_id, quiet_from, quiet_to, cap_messages, cap_days)
       values ($1, $2, $3, $4, $5)
       on conflict (organization_id) do update set quiet_from = excluded.quiet_from, quiet_to = excluded.quiet_to,
         cap_messages = excluded.cap_messages, cap_days = excluded.cap_days`,
      [
        tx.organizationId,
        quiet?.from ?? null,
        quiet?.to ?? null,
        cap?.messages ?? null,
        cap?.days ?? null,
      ],
    );
    await audit(tx, {
      action: 'campaign_settings.updated',
      target: { type: 'workspace', id: tx.organizationId, name: '' },
      changes: [
        { field: 'quiet_hours', from: quietText(before.quiet), to: quietText(quiet) },
        { field: 'frequency_cap', from: capText(before.cap), to: capText(cap) },
      ].filter(({ from, to }) => from !== to),
    });
    return guardsOf(tx.sql, tx.organizationId);
  });

/**
 * Changes the workspace's settings. Quiet hours and days are those of its time zone, so campaigns check again what they
 * wait for. Throws 422 `validation`.
 */
export const changeWorkspace = (ctx: Context, change: SettingsChange): Promise<WorkspaceSettings> =>
  transact(ctx, async (tx) => {
    const { time_zone: before } = await readSettings(tx);
    if ((change.time_zone ?? before) !== before) await lookAgain(tx);
    return changeSettings(tx, change);
  });

/**
 * Campaigns check again whether they wait for an hour or a day: also those that do not, for one may have read the old
 * limits and be about to, or be within a batch that did: no more of it is claimed, and the next one reads them anew.
 * They are locked before their workspace, as everywhere.
 */
async function lookAgain(tx: Context): Promise<void> {
  const sending = await tx.sql.rows<{ id: string }>(
    `update campaigns set waiting_until = null, waiting_for = null, limits_revision = limits_revision + 1
     where organization_id = $1 and id in (select id from campaigns
       where organization_id = $1 and status = 'sending' order by id for no key update)
     returning id`,
    [tx.organizationId],
  );
  for (const { id } of sending) await recordCommand(tx, 'campaign.changed', { campaignId: id });
}

const isTime = (value: string): boolean => localTime.safeParse(value).success;

function problemsOf({ quiet, cap }: GuardChange): FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (quiet && !(isTime(quiet.from) && isTime(quiet.to) && quiet.from !== quiet.to)) {
    const message = 'Two different local times, HH:MM, such as 21:00 and 08:00.';
    problems.push({ path: 'quiet_hours', rule: 'local_time', message });
  }
  if (cap && !(within(cap.messages, MOST_IN_CAP) && within(cap.days, MOST_DAYS))) {
    const message = `1 to ${MOST_IN_CAP} messages in 1 to ${MOST_DAYS} days.`;
    problems.push({ path: 'frequency_cap', rule: 'range', message });
  }
  return problems;
}

const within = (value: number, most: number): boolean =>
  Number.isInteger(value) && value >= 1 && value <= most;

const quietText = (quiet: { from: string; to: string } | null): string =>
  quiet ? `${quiet.from}-${quiet.to}` : 'none';
const capText = (cap: FrequencyCap | null): string =>
  cap ? `${cap.messages} in ${cap.days} days` : 'none';
