import { type Fact, factParams, insertingFacts } from '../../outbox/record.ts';
import type { RunStatus } from '../rules.ts';
import type { AtStep, StepNote } from './effect.ts';
import type { WaitsFor } from './run.ts';
import type { Watch } from './watching.ts';

/** A step's line in the record of its run. */
export const noteOf = (
  { seq, step }: AtStep,
  status: StepNote['status'],
  output?: unknown,
): StepNote => {
  const ended = status !== 'running' && status !== 'waiting';
  return { seq, stepId: step.id, type: step.type, status, output, ended };
};

/** A run's state after a step. */
export interface Place {
  readonly status: RunStatus;
  readonly stepId: string | null;
  readonly since: number;
  readonly waitsFor?: WaitsFor;
  readonly until?: Date;
  readonly leaseUntil?: Date;
  readonly watch?: Watch;
  readonly over?: boolean;
  /** What its workflow is told. */
  readonly command?: Fact;
}

// One statement, so that most transactions write a run's row only once; each further write would repeat its
// constraint checks.
const WRITE = `
with noted as (
  insert into automation_run_steps (organization_id, run_id, seq, step_id, type, status, output, started_at, finished_at)
  select $1, $2, n.seq, n.step_id, n.type, n.status, n.output, $16, case when n.ended then $16::timestamptz end
  from unnest($17::int[], $18::text[], $19::text[], $20::text[], $21::jsonb[], $22::bool[])
    as n (seq, step_id, type, status, output, ended)
  on conflict (organization_id, run_id, seq) do update
    set status = excluded.status, output = coalesce(excluded.output, automation_run_steps.output),
      finished_at = excluded.finished_at
),
told as (${insertingFacts(23)})
update automation_runs set status = $3, current_step_id = $4, steps_taken = $5, steps_since_input = $6, waits_for = $7,
  wait_until = $8, message_id = $9, replies_after = $10, lease_until = $11::timestamptz, finished_at = $12,
  lane_at = $13, workflow_at = $14, has_workflow = $15, moved_at = now()
where organization_id = $1 and id = $2`;

/** Records the results of steps and the run's state after them, in the step's transaction. */
export async function write(
  { tx, run, seq, by }: AtStep,
  notes: readonly StepNote[],
  where: Place,
): Promise<void> {
  const { status, stepId, since, waitsFor = null, until = null, leaseUntil = null } = where;
  const { workflowAt } = run;
  const hasWorkflow = run.hasWorkflow || by === 'workflow' || leaseUntil !== null;
  const watch = where.watch ?? { laneAt: null, workflowAt, hasWorkflow };
  const outputs = notes.map(({ output }) => (output === undefined ? null : JSON.stringify(output)));
  await tx.sql.rows(
    WRITE,
    [
      tx.organizationId,
      run.id,
      status,
      stepId,
      seq,
      since,
      waitsFor,
      until,
      run.messageId,
      run.repliesAfter,
      leaseUntil,
      where.over ? tx.now : null,
      watch.laneAt,
      watch.workflowAt,
      watch.hasWorkflow,
      tx.now,
      notes.map((note) => note.seq),
      notes.map((note) => note.stepId),
      notes.map((note) => note.type),
      notes.map((note) => note.status),
      outputs,
      notes.map((note) => note.ended),
      ...factParams(where.command ? [where.command] : []),
    ],
    'write-steps',
  );
  if (where.command) tx.recorded.add('commands');
}
