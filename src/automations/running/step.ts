import type { Context } from '../../context.ts';
import { first } from '../../db/sql.ts';
import { transact } from '../../db/transact.ts';
import { AppError } from '../../errors.ts';
import { reasonOf } from '../contact-values.ts';
import { blankIn } from '../issues/blanks.ts';
import { LONGEST_RUN_MS, MOST_STEPS_WITHOUT_INPUT, stepFailure } from '../rules.ts';
import type { AtStep, Effect, Outcome, Output, Wake } from './effect.ts';
import { effectOf } from './effects/index.ts';
import { heardOnWaking, nextReply, passOver } from './listening/replies.ts';
import { type Call, type Move, settle } from './moves.ts';
import { lockRun, type Run } from './run.ts';
import { takesFloor } from './talking/floor.ts';
import { noteAsleep } from './watching.ts';

interface Taking {
  /** Steps that only wait or end are taken along with the previous one, and recorded with it. */
  readonly together?: boolean;
  /**
   * The run began in this transaction, which has locked its conversation: no one else knows it, and nothing has
   * changed it.
   */
  readonly begun?: Run | undefined;
}

type How = Pick<AtStep, 'by'> & Partial<Pick<AtStep, 'together' | 'before'>>;

/**
 * Takes one step of a run, or checks the step at which it waits, in the caller's transaction: the effect and its
 * record are atomic. Whoever comes second finds the result of the first.
 */
export async function takeStep(
  tx: Context,
  runId: string,
  by: AtStep['by'],
  { together = false, begun }: Taking = {},
): Promise<Move> {
  let move = await step(tx, begun ?? (await lockRun(tx, runId)), { by, together });
  while (move.kind === 'on' && move.carried) {
    const { run, notes } = move.carried;
    move = await enter(tx, run, { by, together, before: notes });
  }
  return move;
}

async function step(tx: Context, run: Run | null, how: How): Promise<Move> {
  const { by } = how;
  if (!run) return { kind: 'over', status: 'gone' };
  if (run.status !== 'running' && run.status !== 'waiting')
    return { kind: 'over', status: run.status };
  // A call in progress, or one that the workflow must make.
  if (run.leaseUntil && (run.leaseUntil > tx.now || (by === 'lane' && !run.stopped)))
    return { kind: 'wait', for: 'call', until: run.leaseUntil };
  if (run.stopped) return settle(standing(tx, run, how), { kind: 'cancel' });
  if (tx.now.getTime() - run.startedAt.getTime() >= LONGEST_RUN_MS)
    return settle(standing(tx, run, how), tooLong);
  return run.status === 'waiting' ? look(tx, run, how) : enter(tx, run, how);
}

/**
 * Records the result of a call, if the run is still at the step that made it. A run that must stop does so now,
 * because what was in progress is settled.
 */
export async function takeAnswer(
  tx: Context,
  call: Call,
  answer: unknown,
  by: AtStep['by'],
): Promise<Move> {
  const run = await lockRun(tx, call.runId);
  if (!run) return { kind: 'over', status: 'gone' };
  const at = standing(tx, run, { by }, await outputOf(tx, run));
  const effect = effectOf(at.step);
  const ours = run.leaseUntil?.getTime() === call.leaseUntil.getTime();
  if (run.status !== 'running' || !ours || !effect?.called) return takeStep(tx, call.runId, by);
  const outcome = await guarded(at, (inside) => effect.called?.(inside, answer) ?? broken);
  if (run.stopped)
    return settle(at, { kind: 'cancel', done: outcome.kind === 'fail' ? 'failed' : 'succeeded' });
  // A talk that goes on hears what was written meanwhile; the steps behind it do not.
  const isOver = outcome.kind === 'next' && begsReply(run, outcome);
  const after = isOver ? { ...at, run: await passOver(tx, run) } : at;
  return hearOn(after, await settle(after, await listening(after, outcome)));
}

const tooLong: Outcome = {
  kind: 'fail',
  code: 'timeout',
  message: 'A run may go on for 400 days.',
};
const looping: Outcome = {
  kind: 'fail',
  code: 'loop_detected',
  message: `It took ${MOST_STEPS_WITHOUT_INPUT} steps without a message from the person.`,
};
const broken: Outcome = {
  kind: 'fail',
  code: 'definition_error',
  message: 'The automation has no such step.',
};

/** Of automations that were activated before this was an issue of a draft. */
const showsNothing = (name: string): Outcome => ({
  kind: 'fail',
  code: 'definition_error',
  message: `The step's ${name} shows as nothing.`,
});

/** The run at its current step, acting as its automation. */
function standing(tx: Context, run: Run, how: How, output: Output = {}): AtStep {
  const { automationId: id, automation: name, id: runId, chain } = run;
  const actor = { type: 'automation', id, name, run: { id: runId, chain } } as const;
  const step = run.definition.steps.find((each) => each.id === run.stepId);
  // Definitions are validated before they run; a missing step is reported by `enter`.
  return {
    tx: { ...tx, actor },
    run,
    step: step ?? { id: run.stepId ?? '', type: 'end' },
    seq: run.stepsTaken,
    output,
    together: false,
    before: [],
    ...how,
  };
}

async function enter(tx: Context, run: Run, how: How): Promise<Move> {
  const known = run.definition.steps.some(({ id }) => id === run.stepId);
  // A call that was begun but never answered is made again under the same number.
  const again = run.leaseUntil !== null;
  const output = again ? await outputOf(tx, run) : {};
  const seq = again ? run.stepsTaken : run.stepsTaken + 1;
  const at = { ...standing(tx, run, how, output), seq };
  const effect = known ? effectOf(at.step) : null;
  if (!effect) return settle(at, broken);
  const blank = blankIn(at.step);
  if (blank !== null) return settle(at, showsNothing(blank));
  if (run.stepsSinceInput >= MOST_STEPS_WITHOUT_INPUT) return settle(at, looping);
  const entered = effect.entersFreely
    ? await effect.enter(at)
    : await guarded(at, (inside) => effect.enter(inside));
  const outcome = await listening(at, entered);
  const after = begsReply(run, outcome) ? { ...at, run: await passOver(tx, run) } : at;
  return hearOn(after, await settle(after, outcome));
}

/** Whether the step has sent a message that the run may wait behind: what was written before it is no reply to it. */
const begsReply = ({ definition: { steps } }: Run, outcome: Outcome): boolean =>
  'output' in outcome &&
  outcome.output?.['message_id'] !== undefined &&
  (outcome.kind === 'wait' || steps.some(({ type }) => type === 'wait_for_reply'));

/**
 * Waiting for a reply requires the conversation to itself; without it, no answer will come. A run that waited for one
 * has it.
 */
async function listening(at: AtStep, outcome: Outcome): Promise<Outcome> {
  const begins = outcome.kind === 'wait' && outcome.for === 'reply' && at.run.waitsFor !== 'reply';
  if (!begins || (await takesFloor(at))) return outcome;
  const effect = effectOf(at.step);
  return guarded(at, (inside) => effect?.wake?.(inside, { by: 'timeout' }) ?? broken);
}

/**
 * A run that has just begun to wait for a reply goes on at once if the contact has already written. A message waits for
 * a run that makes a call only for a limited time; after that nothing would bring it to the run. Only workflows make
 * calls; the lane brings each message itself.
 */
async function hearOn({ tx, run, by }: AtStep, move: Move): Promise<Move> {
  const listens = by === 'workflow' && move.kind === 'wait' && move.for === 'reply';
  return listens && (await nextReply(tx, run)) ? { kind: 'on' } : move;
}

/** Business errors of an effect end the run, and its changes are rolled back; other errors are retried. */
async function guarded(
  at: AtStep,
  work: (at: AtStep) => Promise<Outcome> | Outcome,
): Promise<Outcome> {
  try {
    if (effectOf(at.step)?.isWhole) return await work(at);
    return await transact(at.tx, async (tx) => work({ ...at, tx }));
  } catch (error) {
    if (!(error instanceof AppError) || error.retryable) throw error;
    return { kind: 'fail', code: stepFailure(error.code), message: reasonOf(error) };
  }
}

async function look(tx: Context, run: Run, how: How): Promise<Move> {
  const at = standing(tx, run, how, await outputOf(tx, run));
  const effect: Effect | null = effectOf(at.step);
  const wake = effect?.wake ? await wakeOf(at) : null;
  if (wake === null) {
    const until = untilOf(run);
    await noteAsleep(at, until);
    return { kind: 'wait', for: run.waitsFor ?? 'time', until };
  }
  const awake = { ...at, run: await heardOnWaking(tx, run, wake) };
  const outcome = await guarded(awake, (inside) => effect?.wake?.(inside, wake) ?? broken);
  return hearOn(awake, await settle(awake, await listening(awake, outcome)));
}

const untilOf = (run: Run): Date => run.waitUntil ?? run.startedAt;

/** What has happened for a waiting run; null if nothing has. */
async function wakeOf(at: AtStep): Promise<Wake | null> {
  const { run, tx } = at;
  const due = untilOf(run) <= tx.now;
  if (run.waitsFor === 'nothing') return { by: 'timeout' };
  if (run.waitsFor === 'time') return due ? { by: 'time' } : null;
  if (run.waitsFor === 'condition') return due ? { by: 'timeout' } : { by: 'look' };
  const message = await nextReply(tx, run);
  if (message) return { by: 'reply', message };
  return due ? { by: 'timeout' } : null;
}

const OUTPUT =
  'select output from automation_run_steps where organization_id = $1 and run_id = $2 and seq = $3';

async function outputOf({ sql, organizationId }: Context, run: Run): Promise<Output> {
  const params = [organizationId, run.id, run.stepsTaken];
  const row = await first<{ output: Output | null }>(sql, OUTPUT, params, 'output-of-step');
  return row?.output ?? {};
}
