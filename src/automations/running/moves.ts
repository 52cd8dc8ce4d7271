import { leaveConversations } from '../../automated/leaving.ts';
import { withdrawAutomated } from '../../automated/withdrawing.ts';
import { commandFact, recordCommand } from '../../outbox/record.ts';
import { failRun } from '../failing.ts';
import { LONGEST_RUN_MS, type RunStatus } from '../rules.ts';
import type { AtStep, Outcome, StepNote } from './effect.ts';
import type { Run, WaitsFor } from './run.ts';
import { conversationOfRun } from './talking/places.ts';
import { watchOver } from './watching.ts';
import { noteOf, write } from './writing.ts';

/** A call to be made now, outside the transaction. */
export interface Call {
  readonly runId: string;
  readonly seq: number;
  readonly step: AtStep['step'];
  readonly request: unknown;
  /** Until then no one else makes it; a later answer is ignored. */
  readonly leaseUntil: Date;
}

/** A run in the state in which an unrecorded step of the same transaction leaves it. */
interface Carried {
  readonly run: Run;
  readonly notes: readonly StepNote[];
}

/** The state in which a step leaves its run. */
export type Move =
  /** `carried`: nothing is recorded yet, because the next step will be recorded along with it. */
  | { readonly kind: 'on'; readonly carried?: Carried }
  | { readonly kind: 'wait'; readonly for: WaitsFor | 'call'; readonly until: Date }
  | { readonly kind: 'call'; readonly call: Call }
  | { readonly kind: 'over'; readonly status: RunStatus | 'gone' };

/** A call to another server takes at most a minute; after this it is made again. */
const CALL_LEASE_MS = 90_000;

/** The run is made to end here; `done` is the step's result, if it had begun. */
interface Cancel {
  readonly kind: 'cancel';
  readonly done?: 'succeeded' | 'failed';
}

/** Records the step and the run's state after it. */
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

/** Between two steps the last record is that of the previous step. */
const hasRecord = ({ run, seq }: AtStep): boolean =>
  seq > run.stepsTaken || run.status === 'waiting' || run.leaseUntil !== null;

/** Steps that do nothing and read none of the run's records: earlier steps are recorded along with them. */
const QUIET = ['end', 'wait', 'wait_for_reply'];

const isQuiet = ({ definition }: Run, stepId: string): boolean =>
  definition.steps.some(({ id, type }) => id === stepId && QUIET.includes(type));

const carry = ({ run, seq }: AtStep, stepId: string, notes: readonly StepNote[]): Carried => ({
  run: {
    ...run,
    stepId,
    stepsTaken: seq,
    stepsSinceInput: run.stepsSinceInput + 1,
    status: 'running',
    waitsFor: null,
    waitUntil: null,
    leaseUntil: null,
  },
  notes,
});

async function goOn(at: AtStep, { to, output }: Outcome & { kind: 'next' }): Promise<Move> {
  if (to === null) return end(at, 'succeeded', 'succeeded', output);
  const since = at.run.stepsSinceInput + 1;
  const notes = [...at.before, noteOf(at, 'succeeded', output)];
  if (at.together && isQuiet(at.run, to)) return { kind: 'on', carried: carry(at, to, notes) };
  await write(at, notes, { status: 'running', stepId: to, since });
  return { kind: 'on' };
}

async function wait(at: AtStep, outcome: Outcome & { kind: 'wait' }): Promise<Move> {
  const { for: waitsFor, output } = outcome;
  const { run, step } = at;
  const latest = run.startedAt.getTime() + LONGEST_RUN_MS;
  const until = new Date(Math.min(outcome.until.getTime(), latest));
  const since = run.stepsSinceInput;
  const { lookAt = until } = outcome;
  const watch = watchOver(at, waitsFor, lookAt);
  const notes = [...at.before, noteOf(at, 'waiting', output)];
  const isNew = !run.hasWorkflow;
  const told = { ...namesOf(run), dueAt: watch.workflowAt?.toISOString(), isNew };
  const where = { status: 'waiting', stepId: step.id, since, waitsFor, until, watch } as const;
  const command = watch.isTold ? { command: commandFact('run.waiting', told) } : {};
  await write(at, notes, { ...where, ...command });
  return { kind: 'wait', for: waitsFor, until: lookAt };
}

const namesOf = ({ id: runId, automationId }: Run) => ({ runId, automationId });

/**
 * A call is made by the run's workflow, never in the lane, because another server may take its time. The workflow
 * enters the step again, as one whose call was begun but never answered.
 */
async function begin(at: AtStep, { request, heard }: Outcome & { kind: 'call' }): Promise<Move> {
  const { tx, step, seq, by } = at;
  const notes = [...at.before, noteOf(at, 'running')];
  const here = by === 'workflow';
  const leaseUntil = here ? new Date(tx.now.getTime() + CALL_LEASE_MS) : at.run.startedAt;
  const run = { ...at.run, messageId: heard ?? at.run.messageId };
  const since = run.stepsSinceInput;
  await write({ ...at, run }, notes, { status: 'running', stepId: step.id, since, leaseUntil });
  if (here) return { kind: 'call', call: { runId: run.id, seq, step, request, leaseUntil } };
  await recordCommand(tx, 'run.waiting', { ...namesOf(run), isNew: !run.hasWorkflow });
  return { kind: 'wait', for: 'call', until: leaseUntil };
}

/** The call could not even be made: the next process makes it, without waiting for the lease to end. */
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
  const notes = [...at.before, ...(hasRecord(at) ? [noteOf(at, stepStatus, output)] : [])];
  const since = run.stepsSinceInput;
  await write(at, notes, { status, stepId: step.id || null, since, over: true });
  // The step that ends it may have opened its conversation.
  const talk = run.conversationId ?? (await conversationOfRun(at.tx, run.id));
  if (status === 'cancelled' && talk !== null)
    await withdrawAutomated(at.tx, { runIds: [run.id], conversationIds: [talk] });
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
  const notes = [...at.before, ...(hasRecord(at) ? [noteOf(at, 'running')] : [])];
  const since = run.stepsSinceInput;
  await write(at, notes, { status: 'running', stepId: step.id || null, since });
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
