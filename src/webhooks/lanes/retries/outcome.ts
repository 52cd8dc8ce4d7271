import { setTimeout as sleep } from 'node:timers/promises';
import { inWorkspace, KEPT_PLAN } from '../../../db/database.ts';
import type { Sql } from '../../../db/sql.ts';
import { isAboutData } from '../../../db/sqlstates.ts';
import { KEPT_WHILE_FAILING } from '../../rules.ts';
import { startDrains } from '../backlog/drains.ts';
import { type Answer, afterAttempt } from '../outcomes.ts';
import type { DeliveryIds, RetryParts, RetryStep } from './parts.ts';
import { type DeliveryRow, handOverDelivery, recordAttempt } from './queries.ts';

/** A deadlock is over at once, a restart of the database within seconds. */
const RECORD_AGAIN_MS = 250;
const RECORD_TRIES = 60;

/** An attempt that may begin; `token` guards its recording. */
export interface Claimed {
  readonly row: DeliveryRow;
  readonly token: string;
  readonly now: Date;
}

/** What came of an attempt, and when the next one is. */
export async function recordOutcome(
  { database, backoff }: RetryParts,
  { deliveryId, organizationId }: DeliveryIds,
  { row, token, now: startedAt }: Claimed,
  outcome: Answer,
): Promise<RetryStep> {
  const judged = afterAttempt(outcome, row, startedAt, backoff);
  const { status, nextAttemptAt: dueAt, endedAt } = judged;
  const record = async (sql: Sql, isWhole: boolean): Promise<boolean> => {
    const { code, durationMs, error } = outcome;
    const response = isWhole ? outcome.response : null;
    const ended = dueAt ? null : endedAt;
    const told = [status, startedAt, dueAt, ended, code, durationMs, response, error];
    const recorded = await recordAttempt(sql, deliveryId, token, ...told);
    return recorded.length > 0 && dueAt !== null && handOver(sql, deliveryId, row.endpointId);
  };
  const handedOver = await untilRecorded((isWhole) =>
    inWorkspace(database, organizationId, (sql) => record(sql, isWhole), KEPT_PLAN),
  );
  const attempts = row.attempts + 1;
  if (!dueAt || handedOver) return { next: 'end', status, attempts };
  const { code, error } = outcome;
  return waitUntil(dueAt, endedAt, { attempts, roundAttempts: row.roundAttempts + 1, code, error });
}

/** The request was made: only its recording is repeated, which the token guards, so that the receiver gets no second one. */
async function untilRecorded(record: (isWhole: boolean) => Promise<boolean>): Promise<boolean> {
  for (let isWhole = true, tries = 1; ; tries += 1) {
    try {
      return await record(isWhole);
    } catch (error) {
      if (tries === RECORD_TRIES) throw error;
      // What the database cannot store is left out, as in the lane of first attempts.
      if (isAboutData(error)) isWhole = false;
      await sleep(RECORD_AGAIN_MS);
    }
  }
}

/**
 * @param isFull the endpoint's retries have taken their places, though it may not fail
 */
export async function handOver(
  sql: Sql,
  deliveryId: string,
  endpointId: string,
  isFull = false,
): Promise<boolean> {
  const [handed] = await handOverDelivery(sql, deliveryId, KEPT_WHILE_FAILING, isFull);
  if (!handed) return false;
  await startDrains(sql, [{ endpointId, due: handed.due }]);
  return true;
}

export const waitUntil = (
  dueAt: Date,
  now: Date,
  {
    attempts,
    roundAttempts,
    code,
    error,
  }: Pick<DeliveryRow, 'attempts' | 'roundAttempts' | 'code' | 'error'>,
): Extract<RetryStep, { next: 'wait' }> => ({
  next: 'wait',
  attempts,
  roundAttempts,
  waitMs: Math.max(1, dueAt.getTime() - now.getTime()),
  dueAt: dueAt.toISOString(),
  lastAnswer: code === null ? error : String(code),
});
