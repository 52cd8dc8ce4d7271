import { setTimeout as sleep } from 'node:timers/promises';
import { inWorkspace } from '../../db/database.ts';
import { faultPoint } from '../../fault-points.ts';
import { numberAnswered } from '../../numbers/pacer.ts';
import { LEASE_AHEAD_MS } from '../../numbers/pacing.ts';
import type { CampaignRef } from '../audience/freezing.ts';
import { type CampaignProgress, failsTooOften, optsOutTooOften } from '../rules.ts';
import { pauseByItself } from '../states/by-itself.ts';
import { claimNext, noteGivenBack, type Paced, type Place, startPlace } from './claiming.ts';
import type { Claimed } from './claims.ts';
import type { SendingDeps } from './deps.ts';
import { returnOnStop } from './halting.ts';
import { type Job, openJob, type Recent, recentOutcomes } from './job.ts';
import { createJudge } from './judging.ts';
import { advance, isUnhindered, somebodyIsLeft } from './progress.ts';
import {
  actOnRefusals,
  endDay,
  react,
  settleBatch,
  systemContext,
  tellsOfMore,
} from './reacting.ts';
import { createSettler, type Settler } from './settler.ts';
import { unanswered } from './unanswered.ts';
import { AT_ONCE, type GoingOn, longest, waitFor } from './waits.ts';
import { createWindow, type SendingWindow } from './window.ts';

export interface BatchControl {
  /** Aborted when the worker ends: what is claimed is still sent, but nothing more is claimed. */
  readonly stopped: AbortSignal;
  /** Milliseconds. */
  readonly budgetMs?: number;
}

const BUDGET_MS = 15_000;
/** The workflow sleeps through anything longer. */
const LONGEST_SLEEP_MS = 2_000;

/**
 * Sends for about 15 seconds: a rolling window of sends, refilled by short claims whose intent is committed before the
 * call, and settled in bulk. Never sends to anyone twice: a recipient whose answer is lost becomes `unconfirmed`.
 */
export async function sendBatch(
  deps: SendingDeps,
  ref: CampaignRef,
  control: BatchControl,
): Promise<CampaignProgress> {
  if (!(await isUnhindered(deps, ref))) {
    const before = await advance(deps, ref);
    if (before.stage !== 'sending' || !before.frozen || before.waitMs > 0) return before;
  }
  const job = await openJob(deps, ref);
  if (!job) {
    await pauseByItself(
      systemContext(deps, ref),
      ref.campaignId,
      'number_unavailable',
      somebodyIsLeft,
    );
    return advance(deps, ref);
  }
  const { at, waitingFor } = await runJob(deps, job, control);
  const after = await advance(deps, ref);
  if (after.stage !== 'sending' || after.left === 0) return after;
  // The last answers were waited for meanwhile.
  const leftMs = at - deps.clock.now().getTime();
  return {
    ...after,
    ...longest(waitFor(after.waitMs, after.waitingFor), waitFor(leftMs, waitingFor)),
  };
}

async function runJob(deps: SendingDeps, job: Job, control: BatchControl): Promise<GoingOn> {
  const place = startPlace();
  const settler = createSettler(
    async (batch) => {
      await settleBatch(deps, job, batch);
      noteGivenBack(place, batch);
    },
    { callsFor: tellsOfMore, act: (batch) => actOnRefusals(deps, job, batch) },
  );
  const recent = await inWorkspace(deps.database, job.organizationId, (sql) =>
    recentOutcomes(sql, job),
  );
  // Most failures are reported after the send.
  const guard = guardOf(recent);
  if (guard) {
    await pauseByItself(systemContext(deps, job), job.campaignId, guard, somebodyIsLeft);
    return AT_ONCE;
  }
  const judge = createJudge({ recent: recent.failed, refusals: job.refusals });
  const window = createWindow(
    (row) => {
      faultPoint('after-reserve');
      return deps.gateway.send(messageTo(job, row));
    },
    (row, result) => {
      if (result.kind === 'accepted') faultPoint('after-gateway-accept');
      settler.add(judge.judge(row, result));
      if (judge.trouble()) giveBack(window.recall(), settler);
    },
    (row) => giveBack([row], settler),
  );
  const halt = returnOnStop(deps, job, window, (rows) => giveBack(rows, settler));
  const troubled = (): boolean => judge.trouble() !== null || halt.halted();
  const deadline = performance.now() + Math.min(control.budgetMs ?? BUDGET_MS, job.closesInMs);
  const over = (): boolean =>
    troubled() || control.stopped.aborted || performance.now() >= deadline;
  let inDoubt = false;
  try {
    return await keepSending({
      deps,
      job,
      place,
      window,
      over,
      troubled,
      giveBack: (rows) => giveBack(rows, settler),
      answered: async () => {
        await window.idle();
        await settler.written();
      },
    });
  } catch (error) {
    inDoubt = true;
    throw error;
  } finally {
    if (judge.trouble()) giveBack(window.recall(), settler);
    await window.idle();
    halt.close();
    await settler.written();
    if (inDoubt) {
      giveBack(await unanswered(deps, job, place), settler);
      await settler.written();
    }
    await react(deps, job, judge);
  }
}

function guardOf({ failed, optedOut }: Recent): 'error_rate' | 'opt_out_rate' | null {
  if (failsTooOften(failed)) return 'error_rate';
  return optsOutTooOften(failed.length, optedOut) ? 'opt_out_rate' : null;
}

const messageTo = (job: Job, row: Claimed) => ({
  phoneNumberId: job.phoneNumberId,
  accessToken: job.accessToken,
  ...(row.group === undefined ? { to: row.phone } : { to: row.group, toKind: 'group' as const }),
  text: row.text,
  correlation: row.messageId,
});

/** Claimed, but the provider was never asked. */
function giveBack(rows: readonly Claimed[], settler: Settler): void {
  for (const row of rows)
    settler.add({ status: 'pending', row, called: false, counted: false, delayMs: 0 });
}

interface Run {
  readonly deps: SendingDeps;
  readonly job: Job;
  readonly place: Place;
  readonly window: SendingWindow;
  readonly over: () => boolean;
  readonly troubled: () => boolean;
  /** Returns claimed rows that should not be sent now. */
  readonly giveBack: (rows: readonly Claimed[]) => void;
  /** Resolves once whatever was claimed is answered and recorded. */
  readonly answered: () => Promise<void>;
}

/**
 * @returns when to go on: later than now if the next slot is too far away to wait for it here
 */
async function keepSending(run: Run): Promise<GoingOn> {
  let onTrial = run.job.refusals > 0;
  while (!run.over()) {
    const room = await roomFor(run, onTrial);
    if (run.over()) break;
    const next = await claimOfToday(run, room);
    if (next.slots.count > 0 && next.claimed.length + next.skipped === 0)
      return foundNobody(run, next);
    offer(run, next);
    if (onTrial) onTrial = !(await tested(run, next));
    const restMs = restAfter(next);
    if (restMs > LONGEST_SLEEP_MS) return goingOnIn(run, restMs);
    if (restMs > 0) await sleep(restMs);
  }
  return AT_ONCE;
}

/** The day ends only after its answers: what is still out may be turned away, and then takes nothing of it. */
async function claimOfToday(run: Run, room: number): Promise<Paced> {
  const next = await claimNext(run, room);
  if (!next.dayOver) return next;
  await run.answered();
  return run.over() ? { ...next, dayOver: null } : claimNext(run, room);
}

/** No recipient is left, none today, or the remaining ones wait for another try. */
async function foundNobody(run: Run, { dayOver, backInMs }: Paced): Promise<GoingOn> {
  const { deps, job, place } = run;
  if (dayOver) await endDay(deps, job, dayOver, place.countedOn);
  // With daily limits, recipients for another day are always due.
  return job.limited
    ? goingOnIn(run, Math.max(LONGEST_SLEEP_MS, backInMs), 'another_try')
    : AT_ONCE;
}

const goingOnIn = (
  { deps }: Run,
  ms: number,
  waitingFor: GoingOn['waitingFor'] = null,
): GoingOn => ({ at: deps.clock.now().getTime() + ms, waitingFor });

/** A number that was throttled must be tried gently: one send and its answer before any other. */
const roomFor = async ({ window }: Run, onTrial: boolean): Promise<number> =>
  onTrial ? 1 : window.room();

/** Whether the trial is over: a claim may find only recipients to skip, or no slot yet. */
async function tested(run: Run, { claimed }: Paced): Promise<boolean> {
  if (claimed.length === 0) return false;
  await run.window.idle();
  if (!run.over()) await answeredAgain(run);
  return true;
}

function offer(run: Run, { claimed, slots, claimedAt }: Paced): void {
  // Answers received meanwhile show that no other recipient of the number would fare better, or that the campaign was
  // stopped.
  if (run.troubled()) {
    run.giveBack(claimed);
    return;
  }
  const base = performance.now() + slots.firstInMs;
  run.window.offer(claimed, claimedAt, (index) => base + index * slots.intervalMs);
}

/** More slots are requested when half of the leased ones are used up. */
const restAfter = ({ slots, claimed }: Paced): number =>
  slots.firstInMs + claimed.length * slots.intervalMs - LEASE_AHEAD_MS / 2;

const answeredAgain = ({ deps, job }: Run): Promise<unknown> =>
  inWorkspace(deps.database, job.organizationId, (sql) => numberAnswered(sql, job.pace));
