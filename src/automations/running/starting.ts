import type { Context } from '../../context.ts';
import { first } from '../../db/sql.ts';
import { newId } from '../../ids.ts';
import { DEEPEST } from '../rules.ts';
import { type Run, readingRuns } from './run.ts';
import { endStopped } from './stopping.ts';

/** What a run begins with. */
export interface Beginning {
  readonly automationId: string;
  readonly contactId: string;
  readonly conversationId: string | null;
  /** As the run shows it. */
  readonly trigger: { readonly type: string; readonly ref: string | null };
  /** The message it began with. */
  readonly messageId: string | null;
  /** The automations whose runs led here, and the last of these runs. */
  readonly chain: readonly string[];
  readonly causeRunId: string | null;
  /** For what the automation's clock queued: how often it had begun anew by then. */
  readonly begunAnew?: number | undefined;
}

export type Started =
  | { readonly runId: string; readonly run: Run }
  /** Counted; nothing else happens. */
  | { readonly dropped: 'inactive' | 'active_run' | 'own_chain' | 'too_deep' };

const START = `
with begun as (
insert into automation_runs (organization_id, id, automation_id, version, contact_id, conversation_id, trigger, status,
  current_step_id, depth, cause_run_id, chain, priority, message_id, started_at)
select $1, $2, a.id, a.version, $4, $5, $6, 'running', v.definition #>> '{steps,0,id}', $7, $8, $9,
  coalesce((v.definition #>> '{entry,priority}')::int, 0), $10, $11
from automations a join automation_versions v
  on v.organization_id = a.organization_id and v.automation_id = a.id and v.version = a.version
where a.organization_id = $1 and a.id = $3 and a.status = 'active' and coalesce(a.begun_anew = $12, true)
for share of a
on conflict (organization_id, automation_id, contact_id) where status in ('running', 'waiting') do nothing
returning *)
${readingRuns('begun')}`;

const ACTIVE = `
select from automations
where organization_id = $1 and id = $2 and status = 'active' and coalesce(begun_anew = $3, true)`;

/** Whether an automation is on, and has not begun anew since. */
export const isActive = async (
  { sql, organizationId }: Context,
  automationId: string,
  begunAnew: number | null = null,
): Promise<boolean> => {
  const params = [organizationId, automationId, begunAnew];
  return (await sql.rows(ACTIVE, params, 'active-automation')).length > 0;
};

/**
 * Starts a run of the published version at its first step, in the caller's transaction. If the contact already has a
 * run in progress, or the chain would come back to itself, none is started (design decisions §9).
 */
export async function startRun(tx: Context, beginning: Beginning): Promise<Started> {
  const { automationId, chain, begunAnew = null } = beginning;
  if (chain.includes(automationId)) return { dropped: 'own_chain' };
  if (chain.length > DEEPEST) return { dropped: 'too_deep' };
  const runId = newId('run');
  const params = [
    tx.organizationId,
    runId,
    automationId,
    beginning.contactId,
    beginning.conversationId,
    JSON.stringify(beginning.trigger),
    chain.length,
    beginning.causeRunId,
    [...chain, automationId],
    beginning.messageId,
    tx.now,
    begunAnew,
  ];
  const start = (): Promise<Run | null> => first<Run>(tx.sql, START, params, 'start-run');
  let run = await start();
  if (!run && !(await isActive(tx, automationId, begunAnew))) return { dropped: 'inactive' };
  if (!run) await endStopped(tx, automationId, beginning.contactId);
  // One that waited while the next version was published found its number but not yet its definition.
  run ??= await start();
  return run ? { runId, run } : { dropped: 'active_run' };
}
