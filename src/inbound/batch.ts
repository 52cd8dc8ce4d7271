import { createFairLimiter, type Limiter } from '../concurrency.ts';
import type { Wake } from '../context.ts';
import type { StatusReport } from '../conversations/receiving/statuses.ts';
import type { Clock } from '../db/clock.ts';
import type { Database } from '../db/database.ts';
import type { Sql } from '../db/sql.ts';
import type { Log } from '../log.ts';
import { inSpan } from '../tracing/spans.ts';
import type { InboundCounts } from './counts.ts';
import { takeEcho } from './messages/echoes.ts';
import { takeMessage } from './messages/receiving.ts';
import { type KnownNumber, ownersOf, type StoredWebhook, type Verdict } from './queries.ts';
import { type Reading, readWebhook } from './reading.ts';
import { takeSideBySide } from './side-by-side.ts';
import { learnAccount } from './updates/accounts.ts';
import { applyCall } from './updates/calls.ts';
import { applyGroupNotice } from './updates/groups.ts';
import { applyIdentityChange } from './updates/identity-changes.ts';
import { type NumberNotice, noticesOfErrors } from './updates/number-notices.ts';
import { applyNumberNotices } from './updates/numbers.ts';
import { applyPreference } from './updates/preferences.ts';
import { takeReports } from './updates/reports.ts';
import { holdsOthers, logStuck, type Progress, verdictOn } from './verdicts.ts';

export interface BatchDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly counts: InboundCounts;
  readonly log: Log;
  /** Wakes the relays after events were recorded. */
  readonly wake: Wake;
}

/** What a webhook says about one number of a workspace. */
interface Part {
  readonly progress: Progress;
  readonly owner: KnownNumber;
  readonly reading: Reading;
}

/** People, or chunks of reports, over all workspaces: the lanes need connections too. */
const AT_ONCE = 4;

/** Processes claimed webhooks, oldest first within each workspace, and returns the verdict on each. */
export async function processBatch(
  deps: BatchDeps,
  system: Sql,
  webhooks: readonly StoredWebhook[],
): Promise<Verdict[]> {
  const all = webhooks.map(
    (webhook): Progress => ({ webhook, failure: null, waits: false, notices: [] }),
  );
  const parts = await partsOf(deps, system, all);
  await learnAccounts(deps, parts);
  const workspaces = [...Map.groupBy(parts, ({ owner }) => owner.organizationId)];
  const slotsOf = createFairLimiter(AT_ONCE);
  await Promise.all(
    workspaces.map(([organizationId, own]) =>
      processWorkspace(deps, organizationId, own, slotsOf(organizationId)),
    ),
  );
  for (const progress of all.filter(({ notices }) => notices.length > 0))
    await applyNumberNotices(deps, system, progress.notices).catch((failure: unknown) => {
      progress.failure = failure;
    });
  logStuck(deps, all);
  return all.map((progress) => verdictOn(deps, progress));
}

/** The rest of what a webhook says does not wait for it: the number's next one names the account again. */
async function learnAccounts(deps: BatchDeps, parts: readonly Part[]): Promise<void> {
  const lacking = parts.filter(({ owner }) => owner.lacksAccount);
  const first = new Map(lacking.toReversed().map((part) => [part.owner.numberId, part]));
  for (const { owner, reading } of first.values())
    await learnAccount(deps, owner, reading.businessAccountId).catch((err: unknown) => {
      deps.log.warn({ err, numberId: owner.numberId }, "a number's account was not written down");
    });
}

async function partsOf(
  { clock, counts, log }: BatchDeps,
  system: Sql,
  all: readonly Progress[],
): Promise<Part[]> {
  const now = clock.now();
  const read = all.flatMap((progress) => {
    try {
      const { readings, news, unreadable } = readWebhook(progress.webhook.body, now);
      progress.notices = news.map((notice) => asOfArrival(notice, progress, now));
      if (unreadable > 0) counts.add('unreadable', unreadable);
      return readings.map((reading) => ({ progress, reading }));
    } catch (failure) {
      progress.failure = failure;
      return [];
    }
  });
  const ids = [...new Set(read.map(({ reading }) => reading.phoneNumberId))];
  const owners = new Map(
    (await ownersOf(system, ids)).map((owner) => [owner.phoneNumberId, owner]),
  );
  return read.flatMap(({ progress, reading }) => {
    const owner = owners.get(reading.phoneNumberId);
    if (!owner) {
      counts.add('unknown_number');
      return [];
    }
    if (reading.numberErrors.length > 0) {
      const { numberId } = owner;
      progress.notices = [
        ...progress.notices,
        ...noticesOfErrors(reading).map((notice) => asOfArrival(notice, progress, now)),
      ];
      log.warn({ numberId, codes: reading.numberErrors }, 'WhatsApp reports a problem of a number');
    }
    return [{ progress, owner, reading }];
  });
}

/** What names no time happened when WhatsApp posted it at the latest, however long that has waited here. */
const asOfArrival = (notice: NumberNotice, { webhook }: Progress, now: Date): NumberNotice => ({
  ...notice,
  at: notice.at ?? new Date(now.getTime() - webhook.ageMs),
});

/** Status reports come first, so that a message replying to one of ours finds it by WhatsApp's id. */
async function processWorkspace(
  deps: BatchDeps,
  organizationId: string,
  parts: readonly Part[],
  slots: Limiter,
): Promise<void> {
  const reporting = parts.filter(({ reading }) => reading.reports.length > 0);
  for (const chunk of chunksOf(reporting))
    await slots(() =>
      inSpan('take in reports', causedBy(chunk), () => reportTogether(deps, organizationId, chunk)),
    );
  await takeSideBySide(parts, slots, async (part, held) => {
    if (held === null)
      await inSpan('take in what people wrote', causedBy([part]), () => takePart(deps, part));
    else part.progress.failure = held;
    return holdsOthers(part.progress) ? part.progress.failure : null;
  });
}

const causedBy = (parts: readonly Part[]) => ({
  causes: parts.map(({ progress }) => progress.webhook.trace),
  kind: 'CONSUMER' as const,
});

async function takePart(deps: BatchDeps, part: Part): Promise<void> {
  const { owner, reading } = part;
  for (const arrival of reading.arrivals)
    await receive(deps, part, () => takeMessage(deps, owner, arrival));
  for (const echo of reading.echoes) await receive(deps, part, () => takeEcho(deps, owner, echo));
  for (const group of reading.groups)
    await receive(deps, part, () => applyGroupNotice(deps, owner, group));
  for (const call of reading.calls) await receive(deps, part, () => applyCall(deps, owner, call));
  for (const preference of reading.preferences)
    await receive(deps, part, () => applyPreference(deps, owner, preference));
  for (const change of reading.identityChanges)
    await receive(deps, part, () => applyIdentityChange(deps, owner, change));
}

const REPORTS_A_TRANSACTION = 2_000;

/** Groups whole webhooks into chunks small enough for one short transaction. */
function chunksOf(parts: readonly Part[]): Part[][] {
  const chunks: Part[][] = [];
  let room = 0;
  for (const part of parts) {
    if (room < part.reading.reports.length) {
      chunks.push([]);
      room = REPORTS_A_TRANSACTION;
    }
    chunks.at(-1)?.push(part);
    room -= part.reading.reports.length;
  }
  return chunks;
}

/** If a chunk fails, its webhooks are applied one by one, so that a bad one affects no others. */
async function reportTogether(
  deps: BatchDeps,
  organizationId: string,
  parts: readonly Part[],
): Promise<void> {
  try {
    await applyReports(deps, organizationId, parts);
  } catch (failure) {
    if (parts.length === 1) for (const { progress } of parts) progress.failure = failure;
    else for (const part of parts) await reportTogether(deps, organizationId, [part]);
  }
}

async function applyReports(
  deps: BatchDeps,
  organizationId: string,
  parts: readonly Part[],
): Promise<void> {
  const byNumber = [...Map.groupBy(parts, ({ owner }) => owner.numberId)].sort(([a], [b]) =>
    a < b ? -1 : 1,
  );
  const reports = byNumber.map(([numberId, own]) => ({
    about: { organizationId, numberId, now: deps.clock.now() },
    reports: own.flatMap(({ reading }) => reading.reports),
  }));
  const unmatched = await takeReports(deps, organizationId, reports);
  deps.counts.add('statuses', parts.flatMap(({ reading }) => reading.reports).length);
  settleUnmatched(deps, parts, new Set(unmatched));
}

/** How much earlier a report may come than our own record of WhatsApp's answer to the send. */
const PATIENCE_MS = 30_000;

/**
 * A message's row, or its recipient's claim, is committed before the message leaves, so a correlation that matches
 * nothing is not ours and never will be. A report with only WhatsApp's id may come before that id is recorded, so
 * such reports wait.
 */
function settleUnmatched(
  { counts }: BatchDeps,
  parts: readonly Part[],
  unmatched: ReadonlySet<StatusReport>,
): void {
  let dropped = 0;
  for (const { progress, reading } of parts) {
    const left = reading.reports.filter((report) => unmatched.has(report));
    const mayCome = left.filter(({ correlation }) => correlation === null);
    progress.waits ||= mayCome.length > 0 && progress.webhook.ageMs < PATIENCE_MS;
    dropped += left.length - (progress.waits ? mayCome.length : 0);
  }
  if (dropped > 0) counts.add('unknown_message', dropped);
}

/**
 * What a person wrote before comes first, so after what failed only for now the rest of the webhook waits with it, too.
 *
 * @param take returns true if it stored a new message
 */
async function receive(
  { counts }: BatchDeps,
  { progress }: Part,
  take: () => Promise<unknown>,
): Promise<void> {
  if (holdsOthers(progress)) return;
  try {
    if ((await take()) === true) counts.add('messages');
  } catch (failure) {
    progress.failure = failure;
  }
}
