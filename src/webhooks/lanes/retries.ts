import { randomUUID } from 'node:crypto';
import type { Clock } from '../../db/clock.ts';
import { type Database, inWorkspace } from '../../db/database.ts';
import { first, type Sql } from '../../db/sql.ts';
import { unavailable } from '../../errors.ts';
import { faultPoint } from '../../fault-points.ts';
import { idDay } from '../../ids.ts';
import { type Backoff, type DeliveryStatus, isExpired, isFinished } from '../rules.ts';
import type { Sendable, WebhookSender } from '../sending.ts';
import { startDrains } from './drains.ts';
import { type Answer, afterAttempt } from './outcomes.ts';
import {
  CLAIM_DELIVERY,
  END_DELIVERY,
  HAND_OVER,
  HOLD_DELIVERY,
  LOCK_DELIVERY,
  RECORD_ATTEMPT,
} from './retry-queries.ts';

/** Which delivery; ids only, for anybody may read a workflow's history. */
export interface DeliveryIds {
  readonly organizationId: string;
  readonly deliveryId: string;
  readonly endpointId: string;
  readonly eventId: string;
}

export interface RetryParts {
  readonly database: Pick<Database, 'app'>;
  readonly sender: WebhookSender;
  readonly clock: Clock;
  readonly backoff: Backoff;
}

export interface RetryWish {
  /** Does not wait for the time the next attempt is due. */
  readonly atOnce: boolean;
  /** What cannot be signed now will not be signable later either. */
  readonly lastTry: boolean;
}

/** What the workflow does next, and what an operator reads about it. No personal data. */
export type RetryStep =
  | { readonly next: 'end'; readonly status: DeliveryStatus | 'gone'; readonly attempts: number }
  /** Only in histories from before endpoints had backlogs. */
  | { readonly next: 'hold'; readonly attempts: number }
  | {
      readonly next: 'wait';
      readonly attempts: number;
      readonly waitMs: number;
      /** ISO 8601. */
      readonly dueAt: string;
      /** Status code or reason of the last failure, or what keeps us from an attempt. */
      readonly lastAnswer: string | null;
    };

interface DeliveryRow extends Sendable {
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly roundAttempts: number;
  readonly firstAttemptAt: Date | null;
  readonly nextAttemptAt: Date | null;
  readonly code: number | null;
  readonly error: string | null;
  readonly owned: boolean;
  readonly paused: boolean;
  readonly pausedAt: Date | null;
  readonly deleted: boolean;
  readonly failing: boolean;
}

const OUR_TROUBLE_MS = 30_000;
/** Workflows that a failing endpoint keeps. */
const KEPT_WHILE_FAILING = 2;

type Claim =
  | { readonly row: DeliveryRow; readonly token: string; readonly now: Date }
  | { readonly step: RetryStep };

/**
 * Reads the row, and makes one attempt if it is time and nothing forbids it. The row decides, not the
 * workflow: it may have been delivered, deleted, held or ended meanwhile. Safe to repeat: an attempt
 * that was given up is fenced off by its token.
 */
export async function retryDelivery(
  parts: RetryParts,
  ids: DeliveryIds,
  wish: RetryWish,
): Promise<RetryStep> {
  const now = parts.clock.now();
  const claim = await inWorkspace(parts.database, ids.organizationId, (sql) =>
    claimIfDue(sql, ids, wish, now),
  );
  if ('step' in claim) return claim.step;
  const outcome = await parts.sender.attempt(claim.row, now);
  if (outcome.kind === 'infrastructure') {
    // Our own trouble is no attempt, and not worth an error in the history each time.
    const again = new Date(now.getTime() + OUR_TROUBLE_MS);
    return { ...waitUntil(again, now, claim.row), lastAnswer: outcome.message };
  }
  if (outcome.kind === 'poison') return endPoisoned(parts, ids, outcome.message, wish, claim.row);
  faultPoint('before-record');
  const step = await recordOutcome(parts, ids, claim, outcome);
  faultPoint('after-attempt-record');
  return step;
}

/** An operator cancelled the workflow: what is not finished ends as failed. */
export async function cancelDelivery(
  { database, clock }: Pick<RetryParts, 'database' | 'clock'>,
  ids: DeliveryIds,
): Promise<void> {
  const { deliveryId, organizationId } = ids;
  const params = [idDay(deliveryId), deliveryId, 'failed', 'cancelled_by_operator', clock.now()];
  await inWorkspace(database, organizationId, (sql) => sql.rows(END_DELIVERY, params));
}

async function claimIfDue(
  sql: Sql,
  { deliveryId }: DeliveryIds,
  { atOnce }: RetryWish,
  now: Date,
): Promise<Claim> {
  const place = [idDay(deliveryId), deliveryId];
  const row = await first<DeliveryRow>(sql, LOCK_DELIVERY, place, 'lock-delivery');
  // A database restored from before the delivery was made: there is nothing to do.
  if (!row) return { step: { next: 'end', status: 'gone', attempts: 0 } };
  const elsewhere = await leaveIfNotOurs(sql, place, row, now);
  if (elsewhere) return { step: { next: 'end', status: elsewhere, attempts: row.attempts } };
  if (row.failing && !atOnce && (await handOver(sql, place, row.endpointId)))
    return { step: { next: 'end', status: row.status, attempts: row.attempts } };
  const dueAt = row.nextAttemptAt ?? now;
  if (!atOnce && dueAt > now) return { step: waitUntil(dueAt, now, row) };
  const token = randomUUID();
  await sql.rows(CLAIM_DELIVERY, [...place, token], 'claim-delivery');
  return { row, token, now };
}

/** The status that a delivery has when no attempt of this workflow follows, else null. */
async function leaveIfNotOurs(
  sql: Sql,
  place: readonly string[],
  row: DeliveryRow,
  now: Date,
): Promise<DeliveryStatus | null> {
  if (isFinished(row.status)) return row.status;
  if (row.deleted || isExpired(row.firstAttemptAt, now)) {
    const error = row.deleted ? (row.error ?? 'expired') : 'expired';
    await sql.rows(END_DELIVERY, [...place, 'failed', error, now]);
    return 'failed';
  }
  // Sent again meanwhile, or in the backlog: another lane attempts it.
  if (!row.owned) return row.status;
  if (!row.paused) return null;
  await sql.rows(HOLD_DELIVERY, [...place, row.pausedAt ?? now], 'hold-delivery');
  return 'held';
}

const waitUntil = (
  dueAt: Date,
  now: Date,
  { attempts, code, error }: Pick<DeliveryRow, 'attempts' | 'code' | 'error'>,
): Extract<RetryStep, { next: 'wait' }> => ({
  next: 'wait',
  attempts,
  waitMs: Math.max(1, dueAt.getTime() - now.getTime()),
  dueAt: dueAt.toISOString(),
  lastAnswer: code === null ? error : String(code),
});

async function endPoisoned(
  { database, clock }: RetryParts,
  { deliveryId, organizationId }: DeliveryIds,
  message: string,
  { lastTry }: RetryWish,
  { attempts }: DeliveryRow,
): Promise<RetryStep> {
  if (!lastTry) throw unavailable(message);
  const params = [idDay(deliveryId), deliveryId, 'failed', 'internal', clock.now()];
  await inWorkspace(database, organizationId, (sql) => sql.rows(END_DELIVERY, params));
  return { next: 'end', status: 'failed', attempts };
}

async function recordOutcome(
  { database, backoff }: RetryParts,
  { deliveryId, organizationId }: DeliveryIds,
  { row, token, now: startedAt }: Extract<Claim, { token: string }>,
  outcome: Answer,
): Promise<RetryStep> {
  const judged = afterAttempt(outcome, row, startedAt, backoff);
  const { status, nextAttemptAt: dueAt, endedAt } = judged;
  const place = [idDay(deliveryId), deliveryId];
  const handedOver = await inWorkspace(database, organizationId, async (sql) => {
    const { code, durationMs, response, error } = outcome;
    const ended = dueAt ? null : endedAt;
    const told = [status, startedAt, dueAt, ended, code, durationMs, response, error];
    await sql.rows(RECORD_ATTEMPT, [...place, token, ...told], 'record-attempt');
    return dueAt !== null && handOver(sql, place, row.endpointId);
  });
  const attempts = row.attempts + 1;
  if (!dueAt || handedOver) return { next: 'end', status, attempts };
  return waitUntil(dueAt, endedAt, { attempts, code: outcome.code, error: outcome.error });
}

async function handOver(sql: Sql, place: readonly string[], endpointId: string): Promise<boolean> {
  const params = [...place, KEPT_WHILE_FAILING];
  const [handed] = await sql.rows<{ due: Date }>(HAND_OVER, params, 'hand-over');
  if (!handed) return false;
  await startDrains(sql, [{ endpointId, due: handed.due }]);
  return true;
}
