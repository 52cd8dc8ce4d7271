import type { ReadContext } from '../context.ts';
import { first } from '../db/sql.ts';
import { notFound } from '../errors.ts';
import type { Period } from './period.ts';

/** Days begin and end in the workspace's zone. */
export async function timeZoneOf({ sql, organizationId }: ReadContext): Promise<string> {
  const row = await first<{ time_zone: string }>(
    sql,
    'select time_zone from workspaces where organization_id = $1',
    [organizationId],
    'time-zone',
  );
  if (!row) throw notFound('workspace');
  return row.time_zone;
}

/** What both reports begin with. */
export const frameOf = (
  { organizationId, now }: ReadContext,
  { from, to, days, previous }: Period,
  timeZone: string,
) => ({
  workspace: organizationId,
  range: { from, to, days: days.length, previous: { from: previous.from, to: previous.to } },
  now: now.toISOString(),
  time_zone: timeZone,
});
