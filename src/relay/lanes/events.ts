import { asSystem, type Database, sqlOver } from '../../db/database.ts';
import { first } from '../../db/sql.ts';
import { isAboutData } from '../../db/sqlstates.ts';
import type { Log } from '../../log.ts';
import { type FannedOut, fanOut, type Taker } from '../../webhooks/lanes/first-attempts/intake.ts';
import { ensurePartitions } from '../partitions.ts';

export interface EventsParts {
  readonly database: Pick<Database, 'system'>;
  readonly log: Log;
}

const FACTS_AT_ONCE = 500;
const POISON_TRIES = 3;
const NOTHING: FannedOut = { facts: 0, deliveries: 0, claimed: [], parked: [], next: null };

/** Turns facts into events and deliveries. A fact that cannot be processed is set aside, and the queue moves on. */
export async function relayEvents(parts: EventsParts, taker: Taker): Promise<FannedOut> {
  try {
    return await fanOut(sqlOver(parts.database.system), taker, FACTS_AT_ONCE);
  } catch (error) {
    if (!isAboutData(error)) throw error;
    return await oneByOne(parts, taker);
  }
}

const OLDEST =
  'select id from facts where is_event and dead_at is null and not_before <= now() order by id limit 100';

const SET_ASIDE = `
  update facts set tries = tries + 1, error = $2, not_before = now() + interval '1 second',
    dead_at = case when tries + 1 >= ${POISON_TRIES} then now() end
  where id = $1 returning dead_at is not null as dead`;

async function oneByOne({ database, log }: EventsParts, taker: Taker): Promise<FannedOut> {
  const sql = sqlOver(database.system);
  // A missing partition looks like bad data, so that is ruled out first.
  await asSystem(database, ensurePartitions);
  let all = NOTHING;
  for (const { id } of await sql.rows<{ id: string }>(OLDEST)) {
    try {
      const some = await fanOut(sql, taker, 1, [id]);
      all = {
        facts: all.facts + some.facts,
        deliveries: all.deliveries + some.deliveries,
        claimed: [...all.claimed, ...some.claimed],
        parked: [...all.parked, ...some.parked],
        next: '',
      };
    } catch (error) {
      if (!isAboutData(error)) throw error;
      const kept = await first<{ dead: boolean }>(sql, SET_ASIDE, [id, String(error)]);
      log.error({ fact: id, err: error, dead: kept?.dead }, 'an event cannot be relayed');
    }
  }
  return all;
}
