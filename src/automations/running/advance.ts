import { system } from '../../access/actor.ts';
import type { Context } from '../../context.ts';
import { transact } from '../../db/transact.ts';
import { isAssigning } from '../../members/assigning.ts';
import type { RunProgress } from '../rules.ts';
import type { RunDeps } from './deps.ts';
import type { AtStep } from './effect.ts';
import { effectOf } from './effects/index.ts';
import { type Call, giveUp, type Move } from './moves.ts';
import { takeAnswer, takeStep } from './step.ts';
import { nextLook } from './watching.ts';

export interface RunRef {
  readonly organizationId: string;
  readonly runId: string;
}

/** Transactions per look; a run that needs more continues with the next look. */
const AT_ONCE = 10;
/** Steps per transaction, unless the run waits earlier; a commit costs more than a step. */
const TOGETHER = 5;

/**
 * Takes the steps of a run until it waits or ends, a few per transaction. Any number of processes may do so at once;
 * each step is taken once.
 *
 * @param from the state in which a step that the caller took leaves the run
 */
export async function advanceRun(
  deps: RunDeps,
  ref: RunRef,
  by: AtStep['by'],
  from: Move = { kind: 'on' },
): Promise<RunProgress> {
  let move = from;
  for (let taken = 0; taken < AT_ONCE && move.kind === 'on'; taken++)
    move = await steps(deps, ref, by);
  // What follows a call is left to the next look, so that the time one look may take is bounded.
  while (move.kind === 'call') move = await ask(deps, ref, move.call, by);
  return progressOf(move, deps.clock.now());
}

const within = <T>(
  deps: RunDeps,
  { organizationId }: RunRef,
  work: (tx: Context) => Promise<T>,
): Promise<T> => transact(deps.contextFor(organizationId, system('automations')), work);

const steps = (deps: RunDeps, ref: RunRef, by: AtStep['by']): Promise<Move> =>
  within(deps, ref, async (tx) => {
    const move = await takeStep(tx, ref.runId, by, { together: true });
    return takeMore(tx, ref.runId, by, move);
  });

/** After a step: takes more of them in the same transaction, unless it assigns: they may wait for their person. */
export async function takeMore(
  tx: Context,
  runId: string,
  by: AtStep['by'],
  from: Move,
): Promise<Move> {
  let move = from;
  for (let taken = 1; taken < TOGETHER && move.kind === 'on' && !isAssigning(tx); taken++)
    move = await takeStep(tx, runId, by, { together: true });
  return move;
}

async function ask(deps: RunDeps, ref: RunRef, call: Call, by: AtStep['by']): Promise<Move> {
  const effect = effectOf(call.step);
  const key = `${call.runId}-${call.seq}`;
  const asked = Promise.resolve(effect?.call?.(deps, call.request, key));
  const answer = await asked.catch(async (error: unknown) => {
    await within(deps, ref, (tx) => giveUp(tx, call));
    throw error;
  });
  return within(deps, ref, (tx) => takeAnswer(tx, call, answer, by));
}

function progressOf(move: Move, now: Date): RunProgress {
  if (move.kind === 'over') return { stage: move.status, waitMs: 0, waitsFor: null };
  if (move.kind !== 'wait') return { stage: 'running', waitMs: 0, waitsFor: null };
  const waitMs = Math.max(0, nextLook(move.for, move.until, now).getTime() - now.getTime());
  return { stage: 'waiting', waitMs, waitsFor: move.for };
}
