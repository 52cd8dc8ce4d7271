import { first, type Sql } from './sql.ts';

/**
 * What one transaction at a time does for a key, with the number of its advisory locks. The numbers never change: processes of
 * two versions lock each other out during an upgrade.
 */
const SPACES = {
  /** Making something whose name must be free, or a contact's open deal in a pipeline. */
  unique: 0,
  idempotency_key: 25,
  client_ref: 26,
  assignments: 27,
  group: 28,
  /** Writing down a page of those for whom a campaign or a reminder is; shared by those who delete and merge people. */
  audience: 29,
  inbound: 30,
  /** Keeping in mind what somebody unknown to a workspace wishes; shared by those who make people known to it. */
  strangers: 31,
  listener: 7_261_005,
} as const;

/** What there are locks for. */
export type LockSpace = keyof typeof SPACES;

/** Waits until no other transaction holds the lock of this key; it ends with the transaction, also by a killed process. */
export const advisoryLock = (sql: Sql, space: LockSpace, key: string): Promise<unknown> =>
  sql.rows('select pg_advisory_xact_lock(hashtextextended($1, $2))', [key, SPACES[space]]);

/** Waits until no transaction holds the lock alone, and keeps them from it until this one ends; any number share it. */
export const advisoryLockShared = (sql: Sql, space: LockSpace, key: string): Promise<unknown> =>
  sql.rows('select pg_advisory_xact_lock_shared(hashtextextended($1, $2))', [key, SPACES[space]]);

/**
 * SQL: takes the lock if no other transaction holds it, and says whether.
 *
 * @param key a parameter or column
 */
export const tryingAdvisoryLock = (space: LockSpace, key: string): string =>
  `pg_try_advisory_xact_lock(hashtextextended(${key}, ${SPACES[space]}))`;

/** Takes the lock if no other transaction holds it, and says whether. */
export async function tryAdvisoryLock(sql: Sql, space: LockSpace, key: string): Promise<boolean> {
  const lock = `select ${tryingAdvisoryLock(space, '$1')} as locked`;
  const row = await first<{ locked: boolean }>(sql, lock, [key]);
  return row?.locked === true;
}

/**
 * SQL, starting with `from`: the advisory locks of a lock space held in this database, with two keys each (`objid` is
 * the second).
 *
 * @param space a number or a parameter
 */
export const heldIn = (space: string): string => `
  from pg_locks where locktype = 'advisory' and classid = ${space} and objsubid = 2 and granted
    and database = (select oid from pg_database where datname = current_database())`;
