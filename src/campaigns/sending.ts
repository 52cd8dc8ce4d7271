import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Actor, system } from '../access/actor.ts';
import { optOutRefused } from '../contacts/opting-out.ts';
import type { Context, Wake } from '../context.ts';
import type { Keyring } from '../crypto/keyring.ts';
import type { Clock } from '../db/clock.ts';
import { BY_INDEX, type Database, inWorkspace } from '../db/database.ts';
import { faultPoint } from '../fault-points.ts';
import { GROUP_UNKNOWN_CODE, OPTED_OUT_CODE } from '../gateway/cloud-api/classify.ts';
import type { Gateway } from '../gateway/port.ts';
import { holdNumber, numberAnswered, type Slots, withSlots } from '../numbers/pacer.ts';
import { LEASE_AHEAD_MS } from '../numbers/pacing.ts';
import { leaveRefused } from '../reminders/lost-groups.ts';
import { type Claim, type Claimed, claim } from './claims.ts';
import type { CampaignRef } from './freezing.ts';
import { claimGroups } from './group-claims.ts';
import { type Job, openJob, recentOutcomes } from './job.ts';
import { createJudge, type Judge, type Trouble } from './judging.ts';
import { advance } from './progress.ts';
import { type CampaignProgress, optsOutTooOften } from './rules.ts';
import { createSettler, type Settler } from './settler.ts';
import { type Settlement, settle } from './settling.ts';
import { haltNumber, pauseByItself } from './transitions.ts';
import { createWindow, type SendingWindow } from './window.ts';

export interface SendingDeps {
  readonly database: Pick<Database, 'app'>;
  readonly contextFor: (organizationId: string, actor: Actor) => Context;
  readonly clock: Clock;
  readonly gateway: Gateway;
  readonly keyring: Keyring;
  readonly wake: Wake;
}

export interface BatchControl {
  /** Aborted when the worker ends: what is claimed still goes out, nothing more is claimed. */
  readonly stopped: AbortSignal;
  /** Milliseconds. */
  readonly budgetMs?: number;
}

const BUDGET_MS = 15_000;
/** The workflow sleeps through anything longer. */
const LONGEST_SLEEP_MS = 2_000;

/**
 * Sends for about 15 seconds (settled detail 8): a rolling window of sends, refilled by short claims whose
 * intent is committed before the call, settled in bulk. Never sends twice to anybody: a recipient whose
 * answer is lost becomes `unconfirmed`.
 */
export async function sendBatch(
  deps: SendingDeps,
  ref: CampaignRef,
  control: BatchControl,
): Promise<CampaignProgress> {
  const before = await advance(deps, ref);
  if (before.stage !== 'sending' || !before.frozen || before.waitMs > 0) return before;
  const job = await openJob(deps, ref);
  if (!job) {
    await pauseByItself(systemContext(deps, ref), ref.campaignId, 'number_unavailable');
    return advance(deps, ref);
  }
  const slotWaitMs = await runJob(deps, job, control);
  const after = await advance(deps, ref);
  return after.stage === 'sending' && after.left > 0
    ? { ...after, waitMs: Math.max(after.waitMs, Math.ceil(slotWaitMs)) }
    : after;
}

const systemContext = (deps: SendingDeps, ref: CampaignRef): Context =>
  deps.contextFor(ref.organizationId, system('campaigns'));

/** @returns milliseconds until the next slot, 0 when the pace does not hold anything back. */
async function runJob(deps: SendingDeps, job: Job, control: BatchControl): Promise<number> {
  const token = randomUUID();
  const settler = createSettler((batch) => settleBatch(deps, job, token, batch));
  const recent = await inWorkspace(deps.database, job.organizationId, (sql) =>
    recentOutcomes(sql, job),
  );
  if (optsOutTooOften(recent.failed.length, recent.optedOut)) {
    await pauseByItself(systemContext(deps, job), job.campaignId, 'opt_out_rate');
    return 0;
  }
  const judge = createJudge({ recent: recent.failed, probing: job.probing });
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
  const deadline = performance.now() + (control.budgetMs ?? BUDGET_MS);
  const over = (): boolean =>
    judge.trouble() !== null || control.stopped.aborted || performance.now() >= deadline;
  try {
    return await keepSending({ deps, job, token, window, over });
  } finally {
    if (judge.trouble()) giveBack(window.recall(), settler);
    await window.idle();
    await settler.written();
    await react(deps, job, judge);
  }
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
  for (const row of rows) settler.add({ status: 'pending', row, called: false, delayMs: 0 });
}

interface Run {
  readonly deps: SendingDeps;
  readonly job: Job;
  readonly token: string;
  readonly window: SendingWindow;
  readonly over: () => boolean;
}

/** @returns milliseconds until the next slot when that is too far away to wait here, else 0. */
async function keepSending(run: Run): Promise<number> {
  if (run.job.probing) await probe(run);
  while (!run.over()) {
    const room = await run.window.room();
    if (run.over()) break;
    const next = await claimNext(run, room);
    if (next.slots.count > 0 && next.claimed.length + next.skipped === 0) break;
    offer(run, next);
    const restMs = restAfter(next);
    if (restMs > LONGEST_SLEEP_MS) return restMs;
    if (restMs > 0) await sleep(restMs);
  }
  return 0;
}

/** One send, and its answer, before any other: a number that was throttled is asked gently. */
async function probe(run: Run): Promise<void> {
  const next = await claimNext(run, 1);
  offer(run, next);
  await run.window.idle();
  if (next.claimed.length > 0 && !run.over()) await answeredAgain(run);
}

function offer({ window }: Run, { claimed, slots, claimedAt }: Paced): void {
  const base = performance.now() + slots.firstInMs;
  window.offer(claimed, claimedAt, (index) => base + index * slots.intervalMs);
}

/** Slots are asked for again when half of what was leased ahead is used up. */
const restAfter = ({ slots, claimed }: Paced): number =>
  slots.firstInMs + claimed.length * slots.intervalMs - LEASE_AHEAD_MS / 2;

/** `claimedAt` (`performance.now()`) is taken before the claim: never later than the lease begins. */
type Paced = Claim & { readonly slots: Slots; readonly claimedAt: number };

async function claimNext({ deps, job, token }: Run, limit: number): Promise<Paced> {
  const claimUpTo = (sql: Parameters<typeof claim>[0], most: number): Promise<Claim> =>
    (job.toGroups ? claimGroups : claim)(sql, {
      ...job,
      token,
      limit: most,
      now: deps.clock.now(),
    });
  const claimedAt = performance.now();
  return inWorkspace(
    deps.database,
    job.organizationId,
    async (sql) => {
      if (!job.paced) {
        const slots = { count: limit, firstInMs: 0, intervalMs: 0 };
        return { slots, claimedAt, ...(await claimUpTo(sql, limit)) };
      }
      const { slots, result } = await withSlots(sql, job.pace, limit, async ({ count }) => {
        const found = count > 0 ? await claimUpTo(sql, count) : { claimed: [], skipped: 0 };
        return { used: found.claimed.length, result: found };
      });
      return { slots, claimedAt, ...result };
    },
    BY_INDEX,
  );
}

const answeredAgain = ({ deps, job }: Run): Promise<unknown> =>
  inWorkspace(deps.database, job.organizationId, (sql) => numberAnswered(sql, job.pace));

async function settleBatch(
  deps: SendingDeps,
  job: Job,
  token: string,
  batch: readonly Settlement[],
): Promise<void> {
  const facts = await inWorkspace(
    deps.database,
    job.organizationId,
    (sql) => settle(sql, { ...job, token, now: deps.clock.now() }, batch),
    BY_INDEX,
  );
  if (facts > 0) deps.wake('events');
  await heedRefusals(deps, job, batch);
}

/**
 * Whom WhatsApp refused because they want no messages: they are asked by no other campaign either. Groups
 * that it does not know are left.
 */
async function heedRefusals(
  deps: SendingDeps,
  job: Job,
  batch: readonly Settlement[],
): Promise<void> {
  const rowsRefusedBy = (code: number): Claimed[] =>
    batch.flatMap((each) =>
      each.status === 'failed' && each.error.provider_code === code ? [each.row] : [],
    );
  const unwanted = rowsRefusedBy(OPTED_OUT_CODE).flatMap(({ contactId, messageId }) =>
    contactId === null ? [] : [{ contactId, messageId }],
  );
  const ofGroups = rowsRefusedBy(GROUP_UNKNOWN_CODE).map(({ messageId }) => messageId);
  if (unwanted.length > 0) await optOutRefused(systemContext(deps, job), unwanted);
  if (ofGroups.length > 0) await leaveRefused(systemContext(deps, job), ofGroups);
}

/** What the answers mean for the number and the campaign, once they are written down. */
async function react(deps: SendingDeps, job: Job, judge: Judge): Promise<void> {
  const trouble: Trouble | null = judge.trouble();
  if (!trouble) return;
  const ctx = systemContext(deps, job);
  if (trouble.kind === 'hold') {
    await inWorkspace(deps.database, job.organizationId, (sql) =>
      holdNumber(sql, job.pace, trouble.retryAfterMs),
    );
  } else if (trouble.kind === 'errors') {
    await pauseByItself(ctx, job.campaignId, 'error_rate');
  } else if (trouble.cause === 'spam_limit') {
    await pauseByItself(ctx, job.campaignId, 'spam_limit');
  } else {
    await haltNumber(ctx, job.numberId, trouble.cause, trouble.providerCode);
  }
}
