import { leaveConversations } from '../automated/leaving.ts';
import type { Context } from '../context.ts';
import { first } from '../db/sql.ts';
import { transact } from '../db/transact.ts';
import { recordEvent } from '../outbox/record.ts';
import type { RUN_ERRORS } from './rules.ts';

/** Why a run failed (design decisions §9). */
export interface RunFailure {
  readonly runId: string;
  /** Both null if no particular step is the cause. */
  readonly stepId: string | null;
  readonly stepType: string | null;
  readonly error: { readonly code: (typeof RUN_ERRORS)[number]; readonly message: string };
}

/**
 * Fails a run and its current step, and records `automation.failed` (design decisions §16). A run that has already
 * ended stays as it is.
 *
 * @returns whether this call ended it
 */
export const failRun = (ctx: Context, failure: RunFailure): Promise<boolean> =>
  transact(ctx, async (tx) => {
    const { runId, stepId, stepType, error } = failure;
    const { code, message } = error;
    const run = await first<FailedRun>(tx.sql, FAIL, [
      tx.organizationId,
      runId,
      tx.now,
      JSON.stringify({ step_id: stepId, code, message }),
      JSON.stringify({ code, message }),
    ]);
    if (!run) return false;
    await leaveConversations(tx, [run.conversation_id]);
    await recordEvent(tx, 'automation.failed', {
      automation: { id: run.automation_id, name: run.automation, version: run.version },
      run: {
        id: runId,
        started_at: run.started_at.toISOString(),
        failed_at: tx.now.toISOString(),
        step_id: stepId,
        step_type: stepType,
      },
      error: { code, message },
      contact_id: run.contact_id,
      conversation_id: run.conversation_id,
      number_id: run.number_id,
    });
    return true;
  });

interface FailedRun {
  readonly automation_id: string;
  readonly automation: string;
  readonly version: number;
  readonly started_at: Date;
  readonly contact_id: string | null;
  readonly conversation_id: string | null;
  readonly number_id: string | null;
}

// Of two concurrent calls the second waits for the row, finds the run ended, and changes nothing.
const FAIL = `
with failed as (
  update automation_runs set status = 'failed', error = $4::jsonb, wait_until = null, waits_for = null, lease_until = null,
    lane_at = null, finished_at = $3
  where organization_id = $1 and id = $2 and status in ('running', 'waiting')
  returning automation_id, version, started_at, contact_id, conversation_id
), step as (
  update automation_run_steps s set status = 'failed', error = $5, finished_at = $3 from failed
  where s.organization_id = $1 and s.run_id = $2 and s.status in ('running', 'waiting')
), looped as (
  insert into automation_drops as d (organization_id, automation_id, reason, count)
  select $1, automation_id, 'loop_detected', 1 from failed where $4::jsonb ->> 'code' = 'loop_detected'
  on conflict (organization_id, automation_id, reason) do update set count = d.count + 1
)
select f.automation_id, a.name as automation, f.version, f.started_at, f.contact_id, f.conversation_id, v.number_id
from failed f join automations a on a.organization_id = $1 and a.id = f.automation_id
left join conversations v on v.organization_id = $1 and v.id = f.conversation_id`;
