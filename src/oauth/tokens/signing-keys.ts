import { type CryptoKey, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';
import { ConfigError } from '../../config.ts';
import { DecryptionFailed, type Keyring, type SecretPlace } from '../../crypto/keyring.ts';
import { asSystem, type Database } from '../../db/database.ts';
import type { Sql } from '../../db/sql.ts';
import { DAY_MS, HOUR_MS } from '../../durations.ts';

export const SIGNING_ALG = 'ES256';
/**
 * How long a key is in the public set before it signs, so that anyone who caches the set for an hour knows it by
 * then.
 */
const PUBLISHED_MS = HOUR_MS;
/** How long a key signs. */
const ACTIVE_MS = 90 * DAY_MS;
/** How long a retired key verifies, until its last token has expired: 10 minutes, and 5 for clock differences. */
const RETIRED_MS = 15 * 60_000;
const LOCK = 7_261_044;

type State = 'next' | 'active' | 'retired';

interface KeyRow {
  readonly kid: string;
  readonly private_key: string;
  readonly state: State;
}

/** The current keys: the active one signs, all of them verify. */
export interface KeySet {
  /** The private keys, the active one first. */
  readonly jwks: { readonly keys: readonly JWK[] };
  readonly publicKeys: ReadonlyMap<string, CryptoKey>;
  /** Equal for equal sets, so that nothing is rebuilt without a change. */
  readonly version: string;
}

interface Parts {
  readonly database: Pick<Database, 'system'>;
  readonly keyring: Keyring;
}

const placeOf = (kid: string): SecretPlace => ({
  table: 'oauth_signing_keys',
  row: kid,
  organizationId: '',
  column: 'private_key',
});

/**
 * Reads the keys, and makes them at the very first start, or where nothing opens them any more. Throws a `ConfigError`,
 * changing nothing, if `ENCRYPTION_KEYS` cannot open the signing key: making a new one would end all tokens because of a
 * wrong setting.
 */
export async function openKeySet(parts: Parts): Promise<KeySet> {
  await asSystem(parts.database, async (sql) => {
    await lock(sql);
    await dropLost(sql, parts.keyring);
    const [first] = await selectKeys(sql);
    if (first?.state === 'active') return refuseUnreadable(parts.keyring, first);
    await makeKey(sql, parts.keyring, 'active');
    // A worker that started first has made it.
    if (first?.state !== 'next') await makeKey(sql, parts.keyring, 'next');
  });
  const keys = await readKeySet(parts);
  if (!keys) throw new Error('The signing keys of the authorization server cannot be read.');
  return keys;
}

/** Keys that nothing opens any more, because the operator declares the encryption key lost. Tokens signed by them end. */
const dropLost = (sql: Sql, { lostKeyIds }: Keyring): Promise<unknown[]> =>
  sql.rows("delete from oauth_signing_keys where split_part(private_key, '|', 2) = any($1)", [
    lostKeyIds,
  ]);

/**
 * Every role refuses to start with such keys: a worker could read no secret, and would lose what it tries to send. Keys
 * declared lost refuse nobody.
 */
export const refuseOtherKeys = ({ database, keyring }: Parts): Promise<void> =>
  asSystem(database, async (sql) => {
    const [active] = await selectKeys(sql);
    if (active?.state === 'active') refuseUnreadable(keyring, active);
  });

function refuseUnreadable(keyring: Keyring, { kid, private_key }: KeyRow): void {
  try {
    keyring.decrypt(private_key, placeOf(kid));
  } catch (error) {
    if (!(error instanceof DecryptionFailed)) throw error;
    if (error.reason === 'lost_key') return;
    const [, id] = private_key.split('|');
    const problem = keyring.keyIds.includes(id ?? '') ? 'holds another key as' : 'lacks the key';
    throw new ConfigError([
      `ENCRYPTION_KEYS is not what this database was encrypted with: it ${problem} "${id}". Nothing was changed. ` +
        'Put that key back, behind the first one; when it is lost for good: docs/backup.md.',
    ]);
  }
}

/** Null while no signing key can be read. A key that cannot be read verifies nothing. */
export async function readKeySet(parts: Parts): Promise<KeySet | null> {
  const rows = await asSystem(parts.database, selectKeys);
  const keys = rows.flatMap((row) => openKey(parts.keyring, row) ?? []);
  if (rows[0]?.state !== 'active' || keys[0]?.kid !== rows[0].kid) return null;
  const publicKeys = new Map<string, CryptoKey>();
  for (const key of keys) {
    const { d: _private, ...open } = key;
    publicKeys.set(key.kid ?? '', (await importJWK(open, SIGNING_ALG)) as CryptoKey);
  }
  return { jwks: { keys }, publicKeys, version: keys.map(({ kid }) => kid).join(' ') };
}

function openKey(keyring: Keyring, { kid, private_key }: KeyRow): JWK | null {
  try {
    return JSON.parse(keyring.decrypt(private_key, placeOf(kid))) as JWK;
  } catch (error) {
    if (error instanceof DecryptionFailed) return null;
    throw error;
  }
}

const selectKeys = (sql: Sql): Promise<KeyRow[]> =>
  sql.rows<KeyRow>(
    `select kid, private_key, state from oauth_signing_keys
     order by array_position(array['active', 'next', 'retired'], state), created_at desc`,
  );

const lock = (sql: Sql): Promise<unknown[]> => sql.rows('select pg_advisory_xact_lock($1)', [LOCK]);

async function makeKey(sql: Sql, keyring: Keyring, state: 'active' | 'next'): Promise<void> {
  const { privateKey } = await generateKeyPair(SIGNING_ALG, { extractable: true });
  const jwk = await exportJWK(privateKey);
  const kid = crypto.randomUUID();
  const blob = keyring.encrypt(
    JSON.stringify({ ...jwk, kid, alg: SIGNING_ALG, use: 'sig' }),
    placeOf(kid),
  );
  await sql.rows(
    `insert into oauth_signing_keys (kid, private_key, state, created_at, active_at)
     values ($1, $2, $3, now(), case when $3 = 'active' then now() end)`,
    [kid, blob, state],
  );
}

/** What one run changed. */
export interface KeyRotation {
  readonly activated: number;
  readonly removed: number;
}

/**
 * Advances each key's life by one step: next, active for 90 days, retired until its last token has expired, deleted.
 * By the database's clock; repeating it changes nothing. Throws a `ConfigError` like `openKeySet`, because a next key
 * that the api cannot read must never start to sign.
 *
 * @param age how long a key signs, in milliseconds
 */
export async function rotateSigningKeys(parts: Parts, age = ACTIVE_MS): Promise<KeyRotation> {
  return asSystem(parts.database, async (sql) => {
    await lock(sql);
    await dropLost(sql, parts.keyring);
    const [active] = await selectKeys(sql);
    if (active?.state === 'active') refuseUnreadable(parts.keyring, active);
    const removed = await sql.rows(
      `delete from oauth_signing_keys where state = 'retired'
         and retired_at < now() - $1 * interval '1 millisecond' returning kid`,
      [RETIRED_MS],
    );
    const [due] = await sql.rows<{ old: string; next: string }>(
      `select a.kid as old, n.kid as next from oauth_signing_keys a, oauth_signing_keys n
       where a.state = 'active' and n.state = 'next' and a.active_at <= now() - $1 * interval '1 millisecond'
         and n.created_at <= now() - $2 * interval '1 millisecond'
       order by n.created_at limit 1`,
      [age, Math.min(age, PUBLISHED_MS)],
    );
    if (due) await advance(sql, due);
    const [next] = await sql.rows("select kid from oauth_signing_keys where state = 'next'");
    if (!next) await makeKey(sql, parts.keyring, 'next');
    return { activated: due ? 1 : 0, removed: removed.length };
  });
}

async function advance(sql: Sql, { old, next }: { old: string; next: string }): Promise<void> {
  await sql.rows(
    "update oauth_signing_keys set state = 'retired', retired_at = now() where kid = $1",
    [old],
  );
  await sql.rows(
    "update oauth_signing_keys set state = 'active', active_at = now() where kid = $1",
    [next],
  );
}
