import { first, type Sql } from './sql.ts';

/**
 * What one transaction at a time does for a key, with the numbers of its advisory locks. They never change: processes of
 * two versions take turns with each other during an upgrade.
 */
const TURNS = {
  /** Making something whose name must be free, or a contact's open deal in a pipeline. */
  unique: 0,
  idempotency_key: 25,
  client_ref: 26,
  assignments: 27,
  group: 28,
  /** Writing down a page of a campaign's audience; shared by those who delete and merge people. */
  audience: 29,
  inbound: 30,
  /** Keeping in mind what somebody unknown to a workspace wishes; shared by those who make people known to it. */
  strangers: 31,
  listener: 7_261_005,
} as const;

/** What there are turns for. */
export type Turn = keyof typeof TURNS;

/** Waits until no other transaction has the turn for this key; it ends with the transaction, also by a killed process. */
export const takeTurn = (sql: Sql, turn: Turn, key: string): Promise<unknown> =>
  sql.rows('select pg_advisory_xact_lock(hashtextextended($1, $2))', [key, TURNS[turn]]);

/** Waits until no transaction has the turn, and keeps it from all until this one ends; any number share it. */
export const shareTurn = (sql: Sql, turn: Turn, key: string): Promise<unknown> =>
  sql.rows('select pg_advisory_xact_lock_shared(hashtextextended($1, $2))', [key, TURNS[turn]]);

/**
 * SQL: takes the turn if no other transaction has it, and says whether.
 *
 * @param key a parameter or column
 */
export const tryingTurn = (turn: Turn, key: string): string =>
  `pg_try_advisory_xact_lock(hashtextextended(${key}, ${TURNS[turn]}))`;

/** Takes the turn if no other transaction has it, and says whether. */
export async function tryTurn(sql: Sql, turn: Turn, key: string): Promise<boolean> {
  const lock = `select ${tryingTurn(turn, '$1')} as locked`;
  const row = await first<{ locked: boolean }>(sql, lock, [key]);
  return row?.locked === true;
}
