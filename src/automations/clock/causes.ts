import type { Context } from '../../context.ts';
import type { Found } from './clocks.ts';

/**
 * SQL: what run `r` of contact `c` passes on. Since the person wrote, only what its automation itself does is its doing.
 */
export const CAUSE = `jsonb_build_object('id', r.id, 'chain',
  case when c.last_inbound_at > r.started_at then array[r.automation_id] else r.chain end)`;

/** Clocks of processes differ, and a transaction commits after it began. */
const MARGIN = "interval '1 minute'";

// Of several, one that would lead back to the automation, or else the one deepest in its chain, so that every loop ends.
const BEHIND = `
select distinct on (r.contact_id) r.contact_id as "contactId", made.cause
from automation_runs r join contacts c on c.organization_id = $1 and c.id = r.contact_id
cross join lateral (select ${CAUSE} as cause) made
where r.organization_id = $1 and r.contact_id = any ($2)
  and (r.status in ('running', 'waiting') or r.finished_at >= $3::timestamptz - ${MARGIN})
  and exists (select from automation_run_steps s where s.organization_id = $1 and s.run_id = r.id
    and coalesce(s.finished_at, s.started_at) >= $3::timestamptz - ${MARGIN})
order by r.contact_id, made.cause -> 'chain' ? $4 desc, jsonb_array_length(made.cause -> 'chain') desc, r.id desc`;

type Behind = Pick<Found, 'contactId' | 'cause'>;

/**
 * For people who are found by what they are now, which does not say who made them so: a run that took a step with the
 * person since then counts as the one that did.
 */
export async function withCauses(
  { sql, organizationId }: Context,
  automationId: string,
  found: readonly Found[],
  since: Date,
): Promise<readonly Found[]> {
  if (found.length === 0) return found;
  const ids = found.map(({ contactId }) => contactId);
  const params = [organizationId, ids, since, automationId];
  const rows = await sql.rows<Behind>(BEHIND, params, 'runs-behind-changes');
  const causes = new Map(rows.map(({ contactId, cause }) => [contactId, cause]));
  return found.map((one) => ({ ...one, cause: causes.get(one.contactId) }));
}
