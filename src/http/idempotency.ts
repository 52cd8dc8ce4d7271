import { createHash, timingSafeEqual } from 'node:crypto';
import type { Context } from '../context.ts';
import type { Keyring, SecretPlace } from '../crypto/keyring.ts';
import { tryAdvisoryLock } from '../db/advisory-locks.ts';
import { first, type Sql } from '../db/sql.ts';
import { transact } from '../db/transact.ts';
import { DAY_MS } from '../durations.ts';
import { AppError } from '../errors.ts';
import type { Answer } from './answer.ts';
import { canonicalJson } from './body/json.ts';

export const IDEMPOTENCY_KEY = /^[A-Za-z0-9_-]{1,200}$/;
const VALID_MS = DAY_MS;

/** A mutating call with an `Idempotency-Key`. */
export interface KeyedCall {
  readonly key: string;
  readonly credentialId: string;
  readonly requestId: string;
  /** Of method, path with ids, query and body. */
  readonly fingerprint: Buffer;
  /** Whether the answer contains a secret; then the stored copy is encrypted. */
  readonly secret: boolean;
  /** Refusals that are not stored, besides 401, 429 and 5xx. */
  readonly passes?: ((error: unknown) => boolean) | undefined;
}

interface StoredAnswer {
  readonly fingerprint: Buffer;
  readonly status: number;
  readonly body: string;
  readonly request_id: string;
  readonly created_at: Date;
}

/** The header's value, or null. Node joins repeated headers with a comma, which no key contains. */
export function idempotencyKey(header: string | string[] | undefined): string | null {
  if (header === undefined) return null;
  if (typeof header === 'string' && IDEMPOTENCY_KEY.test(header)) return header;
  throw new AppError(
    'invalid_idempotency_key',
    'Idempotency-Key must be 1 to 200 letters, digits, "-" or "_", without quotes, and given once.',
  );
}

/** What makes two requests the same. The order of keys and white space in the body do not matter. */
export const fingerprintOf = (parts: readonly unknown[]): Buffer =>
  createHash('sha256').update(canonicalJson(parts)).digest();

interface Doing {
  readonly keyring: Keyring;
  /** Refuses a caller who may not do this now; a success is repeated to nobody else. */
  readonly mayRepeat: () => void;
  readonly run: (inner: Context) => Promise<Answer>;
  /** How an error is answered. */
  readonly answerFor: (error: unknown) => Answer;
}

/**
 * Runs a call once per key, within the transaction of `tx`: the answer is stored with the effect or not at all. A
 * business error rolls back the effect and is stored as the answer; 401, 429 and 5xx are not stored.
 */
export async function once(
  tx: Context,
  call: KeyedCall,
  { keyring, mayRepeat, run, answerFor }: Doing,
): Promise<Answer> {
  await lock(tx, call);
  const stored = await find(tx, call);
  if (stored) {
    requireSame(call, stored);
    if (stored.status < 400) mayRepeat();
    return replay(tx, call, keyring, stored);
  }
  const answer = await transact(tx, run).catch((error: unknown) =>
    storable(answerFor(error), error, call),
  );
  await keep(tx, call, keyring, answer);
  return answer;
}

/** Of a call that was begun and has no answer yet. */
const UNDER_WAY = 102;

/**
 * For a call that cannot be in one transaction: what was answered to it, or null after marking it as begun, which
 * `keep` or `forget` ends. Throws 409 `idempotency_in_progress` in between. One that its process did not live to end is
 * not begun again for a day.
 */
export async function begin(
  tx: Context,
  call: KeyedCall,
  keyring: Keyring,
): Promise<Answer | null> {
  await lock(tx, call);
  const stored = await find(tx, call);
  if (stored?.status === UNDER_WAY) throw inProgress();
  if (stored) {
    requireSame(call, stored);
    return replay(tx, call, keyring, stored);
  }
  await keep(tx, call, keyring, { status: UNDER_WAY, body: '' });
  return null;
}

/** Lets a call that was refused be made again. */
export const forget = (tx: Context, { credentialId, key }: KeyedCall): Promise<unknown> =>
  tx.sql.rows(
    'delete from idempotency_keys where organization_id = $1 and credential_id = $2 and key = $3',
    [tx.organizationId, credentialId, key],
  );

async function lock(tx: Context, call: KeyedCall): Promise<void> {
  const space = JSON.stringify([tx.organizationId, call.credentialId, call.key]);
  if (await tryAdvisoryLock(tx.sql, 'idempotency_key', space)) return;
  throw inProgress();
}

const inProgress = (): AppError =>
  new AppError(
    'idempotency_in_progress',
    'A request with this Idempotency-Key is still running. Try again shortly.',
  );

/** A separate statement after the lock, because only then does it see what the previous holder committed. */
async function find(tx: Context, call: KeyedCall): Promise<StoredAnswer | null> {
  const row = await first<StoredAnswer>(
    tx.sql,
    `select fingerprint, status, body, request_id, created_at from idempotency_keys
     where organization_id = $1 and credential_id = $2 and key = $3`,
    [tx.organizationId, call.credentialId, call.key],
  );
  return row && row.created_at.getTime() > tx.now.getTime() - VALID_MS ? row : null;
}

function requireSame(call: KeyedCall, stored: StoredAnswer): void {
  if (timingSafeEqual(stored.fingerprint, call.fingerprint)) return;
  throw new AppError(
    'idempotency_mismatch',
    'This Idempotency-Key was used for another request. A new request needs a new key.',
  );
}

function replay(
  tx: Context,
  call: KeyedCall,
  keyring: Keyring,
  { status, body, request_id }: StoredAnswer,
): Answer {
  return {
    status,
    body: call.secret ? keyring.decrypt(body, placeOf(tx, call)) : body,
    headers: { 'Idempotent-Replayed': 'true', 'X-Request-Id': request_id },
  };
}

function storable(answer: Answer, error: unknown, { passes }: KeyedCall): Answer {
  const passing = answer.status >= 500 || answer.status === 401 || answer.status === 429;
  if (passing || passes?.(error)) throw error;
  return answer;
}

export async function keep(
  tx: Context,
  call: KeyedCall,
  keyring: Keyring,
  answer: Answer,
): Promise<void> {
  const body = call.secret ? keyring.encrypt(answer.body, placeOf(tx, call)) : answer.body;
  await tx.sql.rows(
    `insert into idempotency_keys (organization_id, credential_id, key, fingerprint, status, body, request_id, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (organization_id, credential_id, key) do update set fingerprint = excluded.fingerprint,
       status = excluded.status, body = excluded.body, request_id = excluded.request_id, created_at = excluded.created_at`,
    [
      tx.organizationId,
      call.credentialId,
      call.key,
      call.fingerprint,
      answer.status,
      body,
      call.requestId,
      tx.now,
    ],
  );
}

/**
 * Deletes answers, including secrets, that can no longer be requested: those of a minute, so that no statement has too
 * many however long nobody did.
 *
 * @returns whether there may be more
 */
export async function deleteOldAnswers(system: Sql): Promise<boolean> {
  const gone = await system.rows(
    `delete from idempotency_keys where created_at < least(now() - interval '24 hours',
       (select min(created_at) from idempotency_keys) + interval '1 minute') returning created_at`,
    [],
    'old-answers',
  );
  return gone.length > 0;
}

const placeOf = (tx: Context, call: KeyedCall): SecretPlace => ({
  table: 'idempotency_keys',
  row: `${call.credentialId}:${call.key}`,
  organizationId: tx.organizationId,
  column: 'body',
});
