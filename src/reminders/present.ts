import { isId } from '../ids.ts';
import type { ReminderRow, RunRecipientRow, RunRow } from './queries.ts';
import type { ReminderView, RunRecipientView, RunView } from './schema.ts';

const iso = (at: Date | null): string | null => at?.toISOString() ?? null;

/**
 * @param nextRunAt passed in because for a birthday reminder it depends on the current contacts
 */
export const presentReminder = (
  row: ReminderRow,
  nextRunAt: Date | null = row.next_run_at,
): ReminderView => ({
  ...row,
  next_run_at: iso(nextRunAt),
  created_at: row.created_at.toISOString(),
});

export const presentRun = (row: RunRow): RunView => ({
  ...row,
  scheduled_for: row.scheduled_for.toISOString(),
  started_at: iso(row.started_at),
});

export const presentRunRecipient = ({ id, ...row }: RunRecipientRow): RunRecipientView => ({
  ...row,
  group_id: isId('grp', id) ? id : null,
});
