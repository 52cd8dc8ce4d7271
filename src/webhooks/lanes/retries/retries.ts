import { randomUUID } from 'node:crypto';
import { audit } from '../../../audit/service.ts';
import type { Context } from '../../../context.ts';
import { inWorkspace, KEPT_PLAN } from '../../../db/database.ts';
import type { Sql } from '../../../db/sql.ts';
import { transact } from '../../../db/transact.ts';
import { unavailable } from '../../../errors.ts';
import { faultPoint } from '../../../fault-points.ts';
import { type DeliveryStatus, isExpired, isFinished } from '../../rules.ts';
import { LOCK_ENDPOINT } from '../backlog/queries.ts';
import { type Claimed, handOver, recordOutcome, waitUntil } from './outcome.ts';
import type { DeliveryIds, RetryParts, RetryRequest, RetryStep } from './parts.ts';
import {
  claimDelivery,
  type DeliveryRow,
  endDelivery,
  holdDelivery,
  lockDelivery,
  postponeDelivery,
} from './queries.ts';

const OUR_TROUBLE_MS = 30_000;

type Claim = Claimed | { readonly step: RetryStep };

/**
 * Reads the row, and makes one attempt if it is time and nothing forbids it. The row decides, not the workflow: the
 * delivery may have been delivered, deleted, held or ended meanwhile. Safe to repeat: an attempt that was given up is
 * excluded by its token.
 */
export async function retryDelivery(
  parts: RetryParts,
  ids: DeliveryIds,
  request: RetryRequest,
): Promise<RetryStep> {
  const now = parts.clock.now();
  const claim = await claimUnchanged(parts, ids, request, now);
  if ('step' in claim) return claim.step;
  const outcome = await parts.underWay.during(ids.endpointId, () =>
    parts.sender.attempt(claim.row, now),
  );
  if (outcome.kind === 'infrastructure') {
    // Our own trouble does not count as an attempt, and is not worth an error in the history each time.
    const again = new Date(now.getTime() + OUR_TROUBLE_MS);
    await giveBack(parts, ids, claim, again);
    return { ...waitUntil(again, now, claim.row), lastAnswer: outcome.message };
  }
  if (outcome.kind === 'poison') {
    // What cannot be sent at all is tried again like an outage, and given up at the last try.
    if (!request.lastTry) throw unavailable(outcome.message);
    return endPoisoned(parts, ids, claim.row);
  }
  faultPoint('before-record');
  const step = await recordOutcome(parts, ids, claim, outcome);
  faultPoint('after-attempt-record');
  return step;
}

/** An operator cancelled the workflow: an unfinished delivery becomes failed. */
export const cancelDelivery = (ctx: Context, id: string): Promise<void> =>
  transact(ctx, async (tx) => {
    const [ended] = await endDelivery(tx.sql, id, 'failed', 'cancelled_by_operator', tx.now);
    if (!ended) return;
    const target = { type: 'delivery', id, name: ended.type };
    await audit(tx, { action: 'delivery.cancelled', target });
  });

/**
 * While it was claimed, a pause, deletion or rotation may have been answered, after which nothing begins as it was
 * before: then what was claimed is given back, and claimed by what the row says now. Whoever changes an endpoint is
 * answered once this process has heard of it.
 */
async function claimUnchanged(
  parts: RetryParts,
  ids: DeliveryIds,
  request: RetryRequest,
  now: Date,
): Promise<Claim> {
  for (;;) {
    let isChanged = false;
    const deafen = parts.hear?.((news) => {
      isChanged ||= news === 'endpoints';
    });
    const claim = await inWorkspace(
      parts.database,
      ids.organizationId,
      (sql) => claimIfDue(sql, parts, ids, request, now),
      KEPT_PLAN,
    ).finally(deafen);
    if ('step' in claim || !isChanged) return claim;
    await giveBack(parts, ids, claim, claim.row.nextAttemptAt);
  }
}

const giveBack = (
  { database }: RetryParts,
  { organizationId, deliveryId }: DeliveryIds,
  { token }: Claimed,
  dueAt: Date | null,
): Promise<unknown> =>
  inWorkspace(
    database,
    organizationId,
    (sql) => postponeDelivery(sql, deliveryId, token, dueAt),
    KEPT_PLAN,
  );

async function claimIfDue(
  sql: Sql,
  { underWay }: Pick<RetryParts, 'underWay'>,
  { deliveryId, organizationId }: DeliveryIds,
  { atOnce }: RetryRequest,
  now: Date,
): Promise<Claim> {
  const [row] = await lockDelivery(sql, deliveryId);
  // A database restored from before the delivery existed: there is nothing to do.
  if (!row) return { step: { next: 'end', status: 'gone', attempts: 0 } };
  const end = (status: DeliveryStatus): Claim => ({
    step: { next: 'end', status, attempts: row.attempts },
  });
  const elsewhere = await leaveIfNotOurs(sql, deliveryId, row, now);
  if (elsewhere) return end(elsewhere);
  // Its request may be under way, or its answer about to be recorded: sent again it would be sent twice, and from the
  // backlog its record would take it out of every lane. The activity is tried again until the lease is over.
  if (row.leased) throw unavailable('An attempt of this delivery is under way.');
  const dueAt = row.nextAttemptAt ?? now;
  const isFull = dueAt <= now && underWay.isFull(row.endpointId);
  if ((row.failing || isFull) && !atOnce) {
    // Locked, because two that count at the same moment would both hand over, leaving none.
    await sql.rows(LOCK_ENDPOINT, [organizationId, row.endpointId], 'lock-endpoint');
    const left = await handOverOrLeave(sql, deliveryId, row, { isFull, now });
    if (left) return end(left);
  }
  if (!atOnce && dueAt > now) return { step: waitUntil(dueAt, now, row) };
  const token = randomUUID();
  await claimDelivery(sql, deliveryId, token);
  return { row, token, now };
}

/** The delivery's status if this workflow makes no further attempt, otherwise null. With the endpoint locked. */
async function handOverOrLeave(
  sql: Sql,
  deliveryId: string,
  row: DeliveryRow,
  { isFull, now }: { readonly isFull: boolean; readonly now: Date },
): Promise<DeliveryStatus | null> {
  // Paused or deleted while this waited for the lock, it gets no attempt any more.
  const [locked = row] = await lockDelivery(sql, deliveryId);
  const left = await leaveIfNotOurs(sql, deliveryId, locked, now);
  if (left) return left;
  return (await handOver(sql, deliveryId, row.endpointId, isFull)) ? row.status : null;
}

/** Its status, by the row alone, if the workflow makes no further attempt, otherwise null. */
async function leaveIfNotOurs(
  sql: Sql,
  deliveryId: string,
  row: DeliveryRow,
  now: Date,
): Promise<DeliveryStatus | null> {
  const end = async (error: string): Promise<DeliveryStatus> => {
    await endDelivery(sql, deliveryId, 'failed', error, now);
    return 'failed';
  };
  if (isFinished(row.status)) return row.status;
  if (row.deleted) return end(row.error ?? 'expired');
  // Resent meanwhile, or in the backlog: another lane attempts it.
  if (!row.owned) return row.status;
  // Time has stood still since the pause, whenever it is checked.
  const asOf = row.paused ? (row.pausedAt ?? now) : now;
  if (isExpired(row.firstAttemptAt, asOf)) return end('expired');
  if (!row.paused) return null;
  await holdDelivery(sql, deliveryId, asOf);
  return 'held';
}

async function endPoisoned(
  { database, clock }: RetryParts,
  { deliveryId, organizationId }: DeliveryIds,
  { attempts }: DeliveryRow,
): Promise<RetryStep> {
  await inWorkspace(database, organizationId, (sql) =>
    endDelivery(sql, deliveryId, 'failed', 'internal', clock.now()),
  );
  return { next: 'end', status: 'failed', attempts };
}
