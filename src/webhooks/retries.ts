import { randomUUID } from 'node:crypto';
import type { Clock } from '../db/clock.ts';
import { type Database, inWorkspace } from '../db/database.ts';
import { first, type Sql } from '../db/sql.ts';
import { unavailable } from '../errors.ts';
import { faultPoint } from '../fault-points.ts';
import { idDay } from '../ids.ts';
import { CLAIM_DELIVERY, END_DELIVERY, LOCK_DELIVERY, RECORD_ATTEMPT } from './queries.ts';
import {
  type Backoff,
  type DeliveryStatus,
  isExpired,
  isFinished,
  nextAttemptAt,
} from './rules.ts';
import type { AttemptOutcome, Sendable, WebhookSender } from './sending.ts';
import type { RetryIds } from './slots.ts';

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
  readonly paused: boolean;
  readonly deleted: boolean;
}

const OUR_TROUBLE_MS = 30_000;

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
  ids: RetryIds,
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
  ids: RetryIds,
): Promise<void> {
  const { deliveryId, organizationId } = ids;
  const params = [idDay(deliveryId), deliveryId, 'failed', 'cancelled_by_operator', clock.now()];
  await inWorkspace(database, organizationId, (sql) => sql.rows(END_DELIVERY, params));
}

async function claimIfDue(
  sql: Sql,
  { deliveryId }: RetryIds,
  { atOnce }: RetryWish,
  now: Date,
): Promise<Claim> {
  const place = [idDay(deliveryId), deliveryId];
  const row = await first<DeliveryRow>(sql, LOCK_DELIVERY, place, 'lock-delivery');
  // A database restored from before the delivery was made: there is nothing to do.
  if (!row) return { step: { next: 'end', status: 'gone', attempts: 0 } };
  const { attempts } = row;
  if (isFinished(row.status)) return { step: { next: 'end', status: row.status, attempts } };
  if (row.deleted || isExpired(row.firstAttemptAt, now)) {
    const error = row.deleted ? (row.error ?? 'expired') : 'expired';
    await sql.rows(END_DELIVERY, [...place, 'failed', error, now]);
    return { step: { next: 'end', status: 'failed', attempts } };
  }
  if (row.paused || row.status === 'held') {
    await sql.rows(
      "update webhook_deliveries set status = 'held' where day = $1 and id = $2 and status <> 'held'",
      place,
    );
    return { step: { next: 'hold', attempts } };
  }
  const dueAt = row.nextAttemptAt ?? now;
  if (!atOnce && dueAt > now) return { step: waitUntil(dueAt, now, row) };
  const token = randomUUID();
  await sql.rows(CLAIM_DELIVERY, [...place, token], 'claim-delivery');
  return { row, token, now };
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
  { deliveryId, organizationId }: RetryIds,
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
  { deliveryId, organizationId }: RetryIds,
  { row, token, now: startedAt }: Extract<Claim, { token: string }>,
  outcome: Exclude<AttemptOutcome, { kind: 'infrastructure' | 'poison' }>,
): Promise<RetryStep> {
  const endedAt = new Date(startedAt.getTime() + outcome.durationMs);
  const dueAt =
    outcome.kind === 'failed'
      ? nextAttemptAt(
          {
            made: row.roundAttempts + 1,
            firstStartedAt: row.firstAttemptAt ?? startedAt,
            lastStartedAt: startedAt,
            retryAfterMs: outcome.retryAfterMs,
            now: endedAt,
          },
          backoff,
        )
      : null;
  const status = statusAfter(outcome.kind, dueAt);
  await inWorkspace(database, organizationId, (sql) =>
    sql.rows(
      RECORD_ATTEMPT,
      [
        idDay(deliveryId),
        deliveryId,
        token,
        status,
        startedAt,
        dueAt,
        dueAt ? null : endedAt,
        outcome.code,
        outcome.durationMs,
        outcome.response,
        outcome.error,
      ],
      'record-attempt',
    ),
  );
  const attempts = row.attempts + 1;
  if (!dueAt) return { next: 'end', status, attempts };
  return waitUntil(dueAt, endedAt, { attempts, code: outcome.code, error: outcome.error });
}

function statusAfter(
  kind: 'delivered' | 'failed' | 'blocked',
  dueAt: Date | null,
): 'succeeded' | 'blocked' | 'retrying' | 'failed' {
  if (kind === 'delivered') return 'succeeded';
  if (kind === 'blocked') return 'blocked';
  return dueAt ? 'retrying' : 'failed';
}
