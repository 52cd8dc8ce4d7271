import type pg from 'pg';
import { MAX_TRIES } from './verdicts.ts';

/** A stored webhook that failed at every try: what it says is not known to any workspace. */
export interface GivenUp {
  /** As the log names it. */
  readonly id: string;
  readonly receivedAt: Date;
  /** Whose it is as far as its body says: none if it is about an account, or a number of nobody. */
  readonly numbers: readonly { readonly workspace: string; readonly number: string }[];
  /** The code of its last failure; the log has the whole of it. */
  readonly error: string;
}

// One that failed and then succeeded has its error still, but fewer tries.
const GIVEN_UP = `w.processed_at is not null and w.tries >= ${MAX_TRIES}`;

/** What was given up and is not deleted yet, oldest first. */
export async function givenUp(system: pg.Pool): Promise<GivenUp[]> {
  const { rows } = await system.query<GivenUp>(
    `select encode(substr(w.sha256, 1, 8), 'hex') as id, w.received_at as "receivedAt", w.error,
       coalesce((select json_agg(json_build_object('workspace', n.organization_id, 'number', n.id) order by n.id)
         from numbers n where n.phone_number_id in (
           select m[1] from regexp_matches(w.body, '"phone_number_id"\\s*:\\s*"(\\d+)"', 'g') m)), '[]') as numbers
     from inbound_webhooks w where ${GIVEN_UP} order by w.seq`,
  );
  return rows;
}

/**
 * Makes them due again, with all their tries.
 *
 * @returns how many
 */
export async function retryGivenUp(system: pg.Pool): Promise<number> {
  const { rowCount } = await system.query(
    `update inbound_webhooks w set processed_at = null, not_before = now(), tries = 0, error = null where ${GIVEN_UP}`,
  );
  return rowCount ?? 0;
}
