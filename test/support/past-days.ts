import pg from 'pg';
import { type Database, sqlOver } from '../../src/db/database.ts';
import { idDay, newIdAt } from '../../src/ids.ts';
import type { TestDatabase } from './database.ts';

const DAY_MS = 86_400_000;
const PARENTS = ['events', 'webhook_deliveries', 'webhook_attempts'];

export const daysAgo = (days: number): Date => new Date(Date.now() - days * DAY_MS);

/** Partitions of a day that is over, as `wms.ensure_partitions` once made them. */
async function pastDay(url: string, at: Date): Promise<void> {
  const owner = new pg.Client({ connectionString: url });
  await owner.connect();
  const day = at.toISOString().slice(0, 10);
  const { rows } = await owner.query(
    'select from wms.history_ranges() where first <= $1 and past > $1',
    [day],
  );
  for (const parent of rows.length > 0 ? [] : PARENTS) {
    const name = `${parent}_${day.replaceAll('-', '')}`;
    await owner.query(`
      create table ${name} partition of ${parent} for values from ('${day}') to (date '${day}' + 1);
      alter table ${name} enable row level security;
      alter table ${name} force row level security`);
  }
  await owner.end();
}

interface PastDelivery {
  readonly organizationId: string;
  readonly endpointId: string;
  readonly at: Date;
  readonly status: string;
  readonly finishedAt?: Date;
  readonly attempts?: number;
  readonly ownedByWorkflow?: boolean;
  readonly inBacklog?: boolean;
}

/** A delivery of a past day with its event and its attempts, in whichever lane. */
async function aPastDelivery(
  database: Pick<Database, 'system'>,
  wishes: PastDelivery,
): Promise<{ id: string; eventId: string; day: string; body: string }> {
  const { organizationId, endpointId, at, status, finishedAt = null, attempts = 0 } = wishes;
  const { inBacklog = status === 'held', ownedByWorkflow = false } = wishes;
  const eventId = newIdAt('evt', at);
  const id = newIdAt('dlv', at);
  const day = idDay(eventId);
  const body = JSON.stringify({ id: eventId, type: 'message.sent', data: { text: 'Olá 👋' } });
  const sql = sqlOver(database.system);
  await sql.rows(
    `insert into events (day, organization_id, id, type, body, created_at) values ($1, $2, $3, 'message.sent', $4, $5)`,
    [day, organizationId, eventId, body, at],
  );
  await sql.rows(
    `insert into webhook_deliveries (day, organization_id, id, endpoint_id, event_id, type, status, attempts, round_attempts,
       first_attempt_at, next_attempt_at, owned_by_workflow, in_backlog, held_at, lease_until, created_at, finished_at)
     values ($1, $2, $3, $4, $5, 'message.sent', $6, $7, $7, $8, $9, $10, $11, $12, $13, $13, $14)`,
    [
      day,
      organizationId,
      id,
      endpointId,
      eventId,
      status,
      attempts,
      attempts > 0 ? at : null,
      status === 'retrying' ? new Date(Date.now() + 3_600_000) : null,
      ownedByWorkflow,
      inBacklog,
      status === 'held' ? at : null,
      at,
      finishedAt,
    ],
  );
  for (let number = 1; number <= attempts; number += 1) {
    await sql.rows(
      `insert into webhook_attempts (day, organization_id, delivery_id, number, started_at, code, duration_ms)
       values ($1, $2, $3, $4, $5, 500, 12)`,
      [day, organizationId, id, number, at],
    );
  }
  return { id, eventId, day, body };
}

/**
 * The partitions of days that are weeks past, `webhook_deliveries_20261001`. Those around today are the
 * database's own, and a run that crosses midnight makes yesterday of today.
 */
export async function pastPartitions(database: Pick<Database, 'system'>): Promise<string[]> {
  const rows = await sqlOver(database.system).rows<{ name: string }>(
    `select name from wms.history_ranges() where past <= (now() at time zone 'UTC')::date - 7 order by 1`,
  );
  return rows.map(({ name }) => name);
}

/** What makes deliveries of past days for one endpoint, and which of them are left. */
export function pastEndpoint(
  { database, testDatabase }: { database: Database; testDatabase: TestDatabase },
  of: { organizationId: string; endpointId: string },
) {
  const delivery = async (
    age: number,
    wishes: Omit<PastDelivery, 'at' | 'organizationId' | 'endpointId'>,
  ) => {
    const at = daysAgo(age);
    await pastDay(testDatabase.url, at);
    return aPastDelivery(database, { ...of, at, ...wishes });
  };
  const left = async (): Promise<string[]> => {
    const rows = await sqlOver(database.system).rows<{ id: string }>(
      'select id from webhook_deliveries where endpoint_id = $1 order by id',
      [of.endpointId],
    );
    return rows.map(({ id }) => id);
  };
  return { ...of, delivery, left };
}
