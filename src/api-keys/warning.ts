import { system } from '../access/actor.ts';
import { auditAll, type Happening } from '../audit/service.ts';
import type { Context } from '../context.ts';
import type { ContextFor } from '../db/contexts.ts';
import type { Database } from '../db/database.ts';
import type { Sweep } from '../db/sweeping.ts';
import { transact } from '../db/transact.ts';
import { workspacesAfter } from '../db/workspaces.ts';
import { FIRST_WARNING_DAYS, warningOf } from './rules.ts';

const PAGE = 100;

interface Expiring {
  readonly id: string;
  readonly name: string;
  readonly expiresAt: Date;
  readonly revokedAt: Date | null;
  readonly createdAt: Date;
  readonly warned: number | null;
}

/** Keys that may have a warning due; `warningOf` decides. */
const EXPIRING = `revoked_at is null and expires_at > $2
  and expires_at <= $2::timestamptz + interval '${FIRST_WARNING_DAYS} days'`;

/**
 * Writes into the audit log that a key is about to expire, once 30 and once 7 days before (design decisions §25). The
 * list of keys shows it throughout, as `expiring_soon`.
 */
export const expiryWarnings = (
  database: Pick<Database, 'system'>,
  contextFor: ContextFor,
  now: Date,
): Sweep => ({
  page: (after) =>
    workspacesAfter(database, after, { table: 'api_keys', where: EXPIRING, params: [now] }),
  tend: (organizationId) => transact(contextFor(organizationId, system('expiry warnings')), warn),
});

async function warn(tx: Context): Promise<number> {
  const keys = await tx.sql.rows<Expiring>(
    `select id, name, expires_at as "expiresAt", revoked_at as "revokedAt", created_at as "createdAt",
       expiry_warned as warned
     from api_keys where organization_id = $1 and ${EXPIRING} order by id for no key update`,
    [tx.organizationId, tx.now],
  );
  const due = keys
    .flatMap((key) => {
      const days = warningOf(key, tx.now);
      return days === null ? [] : [{ ...key, days }];
    })
    .slice(0, PAGE);
  await tx.sql.rows(
    `update api_keys k set expiry_warned = d.days from unnest($2::text[], $3::int[]) d (id, days)
     where k.organization_id = $1 and k.id = d.id`,
    [tx.organizationId, due.map(({ id }) => id), due.map(({ days }) => days)],
  );
  await auditAll(tx, due.map(entryOf));
  return due.length;
}

const entryOf = ({ id, name, expiresAt, days }: Expiring & { days: number }): Happening => ({
  action: 'api_key.expiring',
  target: { type: 'api_key', id, name },
  changes: [
    { field: 'expires_at', from: null, to: expiresAt.toISOString() },
    { field: 'days_left', from: null, to: days },
  ],
});
