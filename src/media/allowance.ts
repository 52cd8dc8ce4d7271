import type { Context } from '../context.ts';
import { first } from '../db/sql.ts';
import { AppError } from '../errors.ts';
import { planOf } from '../workspaces/plans.ts';
import { MB } from './kinds.ts';

// Whole hours, so that within any 24 hours it is never more.
const USED = `
select coalesce(sum(bytes), 0)::bigint::text as used from uploaded_hours
where organization_id = $1 and hour > $2::timestamptz - interval '25 hours'`;

/**
 * Refuses what the workspace may not upload any more within 24 hours: 409 `quota`. Files that nothing names stay for a
 * month, and one key could fill the disk for everybody.
 */
export async function requireRoom(tx: Context, bytes: number, limitMb: number): Promise<void> {
  const row = await first<{ used: string }>(tx.sql, USED, [tx.organizationId, tx.now]);
  const used = Number(row?.used ?? 0);
  const limit = limitMb * MB;
  if (used + bytes <= limit) return;
  const { name: plan } = await planOf(tx);
  const message = `A workspace may upload ${limitMb} MB within 24 hours; ${Math.floor(used / MB)} MB are uploaded.`;
  throw new AppError('quota', message, { limit, used, plan, unit: 'bytes' });
}

/**
 * After the bytes are stored, for the hour's row is locked until the commit. Those uploaded at the same moment do not
 * see each other: there are as many as files may be on their way at once.
 */
export async function countUploaded(tx: Context, bytes: number): Promise<void> {
  await tx.sql.rows(
    `insert into uploaded_hours (organization_id, hour, bytes) values ($1, date_trunc('hour', $2::timestamptz, 'UTC'), $3)
     on conflict (organization_id, hour) do update set bytes = uploaded_hours.bytes + excluded.bytes`,
    [tx.organizationId, tx.now, bytes],
  );
  await tx.sql.rows(
    `delete from uploaded_hours where organization_id = $1 and hour < $2::timestamptz - interval '2 days'`,
    [tx.organizationId, tx.now],
  );
}
