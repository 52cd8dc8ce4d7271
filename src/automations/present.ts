import type { Issue } from './issues/issues.ts';
import type { AutomationRow, DraftRow, RunRow, RunStepRow } from './queries.ts';
import type { AutomationDetail, AutomationView, RunDetail, RunView } from './schema.ts';

const iso = (at: Date | null): string | null => at?.toISOString() ?? null;

export const presentAutomation = (row: AutomationRow): AutomationView => ({
  id: row.id,
  name: row.name,
  status: row.status,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
  version: row.version,
  description: row.description,
  unpublished_edits: row.unpublished_edits,
});

export const presentDetail = (row: DraftRow, issues: readonly Issue[]): AutomationDetail => ({
  ...presentAutomation(row),
  issues: [...issues],
  trigger: row.draft.trigger,
  entry: row.draft.entry,
  steps: row.draft.steps,
  runs_dropped: row.runs_dropped,
});

export const presentRun = (row: RunRow): RunView => ({
  id: row.id,
  automation_id: row.automation_id,
  version: row.version,
  contact_id: row.contact_id,
  conversation_id: row.conversation_id,
  trigger: row.trigger,
  status: row.status,
  current_step_id: row.current_step_id,
  wait_until: iso(row.wait_until),
  started_at: row.started_at.toISOString(),
  finished_at: iso(row.finished_at),
  error: row.error,
  depth: row.depth,
  cause_run_id: row.cause_run_id,
});

/**
 * @param steps in the order in which they were taken
 */
export const presentRunDetail = (row: RunRow, steps: readonly RunStepRow[]): RunDetail => ({
  ...presentRun(row),
  steps: steps.map((step) => ({
    ...step,
    started_at: step.started_at.toISOString(),
    finished_at: iso(step.finished_at),
  })),
});
