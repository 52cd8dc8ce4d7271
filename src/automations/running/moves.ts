import { leaveConversations } from '../../outbox/leaving.ts';
import { recordCommand } from '../../outbox/record.ts';
import { failRun } from '../failing.ts';
import { LONGEST_RUN_MS, type RunStatus } from '../rules.ts';
import type { AtStep, Outcome } from './effect.ts';
import { conversationOfRun } from './places.ts';
import type { WaitsFor } from './run.ts';
import { type Watch, watchOver } from './watching.ts';

/** A call that is to be made now, outside of the transaction. */
export interface Call {
  readonly runId: string;
  readonly seq: number;
  readonly step: AtStep['step'];
  readonly request: unknown;
  /** Until then nobody else makes it; an answer that comes later is not heard. */
  readonly leaseUntil: Date;
}

/** Where a step leaves its run. */
export type Move =
  | { readonly kind: 'on' }
  | { readonly kind: 'wait'; readonly for: WaitsFor | 'call'; readonly until: Date }
  | { readonly kind: 'call'; readonly call: Call }
  | { readonly kind: 'over'; readonly status: RunStatus | 'gone' };

/** An attempt of somebody else's server takes at most a minute; then it is made again. */
const CALL_LEASE_MS = 90_000;

/** The run ends here, by no choice of its own; `done`: what came of the step, if it had begun. */
interface Cancel {
  readonly kind: 'cancel';
  readonly done?: 'succeeded' | 'failed';
}

/** Records the step and where the run stands after it. */
export function settle(at: AtStep, outcome: Outcome | Cancel): Promise<Move> {
  switch (outcome.kind) {
    case 'next':
      return goOn(at, outcome);
    case 'wait':
      return wait(at, outcome);
    case 'call':
      return begin(at, outcome);
    case 'end':
      return end(at, outcome.status, 'succeeded', outcome.output);
    case 'cancel':
      return end(at, 'cancelled', outcome.done ?? 'cancelled');
    case 'fail':
      return fail(at, outcome.code, outcome.message);
  }
}

const STEP = `
insert into automation_run_steps (organization_id, run_id, seq, step_id, type, status, output, started_at, finished_at)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
on conflict (organization_id, run_id, seq) do update
  set status = excluded.status, output = coalesce(excluded.output, automation_run_steps.output), finished_at = excluded.finished_at`;

async function note(at: AtStep, status: string, output: unknown, ended: boolean): Promise<void> {
  const { tx, run, step, seq } = at;
  await tx.sql.rows(
    STEP,
    [
      tx.organizationId,
      run.id,
      seq,
      step.id,
      step.type,
      status,
      output === undefined ? null : JSON.stringify(output),
      tx.now,
      ended ? tx.now : null,
    ],
    'run-step',
  );
}

/** Between two steps the last record is that of the step before. */
const hasRecord = ({ run, seq }: AtStep): boolean =>
  seq > run.stepsTaken || run.status === 'waiting' || run.leaseUntil !== null;

const MOVE = `
update automation_runs set status = $3, current_step_id = $4, steps_taken = $5, steps_since_input = $6, waits_for = $7,
  wait_until = $8, message_id = $9, replies_after = $10, lease_until = $11::timestamptz, finished_at = $12,
  lane_at = $13, workflow_at = $14, has_workflow = $15, moved_at = now()
where organization_id = $1 and id = $2`;

interface Place {
  readonly status: RunStatus;
  readonly stepId: string | null;
  readonly since: number;
  readonly waitsFor?: WaitsFor;
  readonly until?: Date;
  readonly leaseUntil?: Date;
  readonly watch?: Watch;
  readonly over?: boolean;
}

async function place({ tx, run, seq, by }: AtStep, where: Place): Promise<void> {
  const { status, stepId, since, waitsFor = null, until = null, leaseUntil = null } = where;
  const { workflowAt } = run;
  const hasWorkflow = run.hasWorkflow || by === 'workflow' || leaseUntil !== null;
  const watch = where.watch ?? { laneAt: null, workflowAt, hasWorkflow };
  const finishedAt = where.over ? tx.now : null;
  const params = [tx.organizationId, run.id, status, stepId, seq, since];
  await tx.sql.rows(
    MOVE,
    [
      ...[...params, waitsFor, until, run.messageId, run.repliesAfter, leaseUntil, finishedAt],
      ...[watch.laneAt, watch.workflowAt, watch.hasWorkflow],
    ],
    'move-run',
  );
}

async function goOn(at: AtStep, { to, output }: Outcome & { kind: 'next' }): Promise<Move> {
  if (to === null) return end(at, 'succeeded', 'succeeded', output);
  const since = at.run.stepsSinceInput + 1;
  await note(at, 'succeeded', output, true);
  await place(at, { status: 'running', stepId: to, since });
  return { kind: 'on' };
}

async function wait(at: AtStep, outcome: Outcome & { kind: 'wait' }): Promise<Move> {
  const { for: waitsFor, output } = outcome;
  const { run, step } = at;
  const latest = run.startedAt.getTime() + LONGEST_RUN_MS;
  const until = new Date(Math.min(outcome.until.getTime(), latest));
  await note(at, 'waiting', output, false);
  const since = run.stepsSinceInput;
  const watch = watchOver(at, waitsFor, until);
  await place(at, { status: 'waiting', stepId: step.id, since, waitsFor, until, watch });
  const isNew = !run.hasWorkflow;
  const told = { runId: run.id, dueAt: watch.workflowAt?.toISOString(), waitsFor, isNew };
  if (watch.isTold) await recordCommand(at.tx, 'run.waiting', told);
  return { kind: 'wait', for: waitsFor, until };
}

/**
 * A call is made by the run's workflow, never in the lane: somebody else's server may take its time. There
 * the step is entered anew, as one whose call was begun and never answered.
 */
async function begin(at: AtStep, { request, heard }: Outcome & { kind: 'call' }): Promise<Move> {
  const { tx, step, seq, by } = at;
  await note(at, 'running', undefined, false);
  const here = by === 'workflow';
  const leaseUntil = here ? new Date(tx.now.getTime() + CALL_LEASE_MS) : at.run.startedAt;
  const run = { ...at.run, messageId: heard ?? at.run.messageId };
  const since = run.stepsSinceInput;
  await place({ ...at, run }, { status: 'running', stepId: step.id, since, leaseUntil });
  if (here) return { kind: 'call', call: { runId: run.id, seq, step, request, leaseUntil } };
  await recordCommand(tx, 'run.waiting', { runId: run.id, isNew: !run.hasWorkflow });
  return { kind: 'wait', for: 'call', until: leaseUntil };
}

/** The call could not even be made: whoever comes next makes it, and need not wait for the lease to end. */
export const giveUp = ({ sql, organizationId }: AtStep['tx'], call: Call): Promise<unknown> =>
  sql.rows(
    `update automation_runs set lease_until = started_at
     where organization_id = $1 and id = $2 and lease_until = $3`,
    [organizationId, call.runId, call.leaseUntil],
  );

async function end(
  at: AtStep,
  status: 'succeeded' | 'handed_over' | 'cancelled',
  stepStatus: 'succeeded' | 'failed' | 'cancelled',
  output?: unknown,
): Promise<Move> {
  const { run, step } = at;
  if (hasRecord(at)) await note(at, stepStatus, output, true);
  const since = run.stepsSinceInput;
  await place(at, { status, stepId: step.id || null, since, over: true });
  // The step that ends it may have opened its conversation.
  const talk = run.conversationId ?? (await conversationOfRun(at.tx, run.id));
  await leaveConversations(at.tx, [talk]);
  await tellItsWorkflow(at);
  return { kind: 'over', status };
}

async function fail(
  at: AtStep,
  code: (Outcome & { kind: 'fail' })['code'],
  message: string,
): Promise<Move> {
  const { tx, run, step } = at;
  if (hasRecord(at)) await note(at, 'running', undefined, false);
  await place(at, { status: 'running', stepId: step.id || null, since: run.stepsSinceInput });
  const stepType = hasRecord(at) ? step.type : null;
  const failure = { runId: run.id, stepId: step.id || null, stepType, error: { code, message } };
  await failRun(tx, failure);
  await tellItsWorkflow(at);
  return { kind: 'over', status: 'failed' };
}

/** A workflow that sleeps for a run that has ended has nothing left to wait for. */
async function tellItsWorkflow({ tx, run, by }: AtStep): Promise<void> {
  if (run.hasWorkflow && by === 'lane') await recordCommand(tx, 'run.ended', { runId: run.id });
}
