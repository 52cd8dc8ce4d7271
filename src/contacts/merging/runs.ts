import type { Context } from '../../context.ts';
import { recordCommand } from '../../outbox/record.ts';
import { endRuns } from '../../outbox/runs.ts';

/** A run of an automation in which both contacts have one; $4 is the survivor. */
const TWICE = `r.contact_id = $5 and exists (
  select from automation_runs s where s.organization_id = r.organization_id and s.contact_id = $4
    and s.automation_id = r.automation_id and s.status in ('running', 'waiting'))`;

/**
 * Runs that wait in a conversation about to be merged into one where a run of the survivor already waits; $2 is the
 * survivor.
 */
const SILENCED = `
update automation_runs r set waits_for = 'nothing', wait_until = $4
from conversations o
join conversations s on s.organization_id = o.organization_id and s.number_id = o.number_id and s.contact_id = $2
join automation_runs t on t.organization_id = s.organization_id and t.conversation_id = s.id
  and t.waits_for = 'reply' and t.status = 'waiting'
where r.organization_id = $1 and o.organization_id = $1 and o.contact_id = $3 and o.id = r.conversation_id
  and r.waits_for = 'reply' and r.status = 'waiting'
returning r.id`;

/**
 * A person has one run per automation, and one waiting run per conversation (design decisions §9). Where both
 * contacts have one, the run of the deleted contact ends, or continues as if no reply had come. In the caller's
 * transaction.
 */
export async function makeRoomForRuns(tx: Context, id: string, otherId: string): Promise<void> {
  await endRuns(tx, 'cancelled', { where: TWICE, params: [id, otherId] });
  const silenced = await tx.sql.rows<{ id: string }>(SILENCED, [
    tx.organizationId,
    id,
    otherId,
    tx.now,
  ]);
  for (const run of silenced) await recordCommand(tx, 'run.waiting', { runId: run.id });
}
