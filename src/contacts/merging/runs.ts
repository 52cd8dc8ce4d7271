import type { Context } from '../../context.ts';
import { recordCommand } from '../../outbox/record.ts';
import { endRuns } from '../../outbox/runs.ts';

/** Of an automation that goes on for both; $4 stays. */
const TWICE = `r.contact_id = $5 and exists (
  select from automation_runs s where s.organization_id = r.organization_id and s.contact_id = $4
    and s.automation_id = r.automation_id and s.status in ('running', 'waiting'))`;

/** Waits in a conversation that becomes part of one in which a run of the survivor's waits; $2 stays. */
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
 * One person has one run of an automation, and one run that waits in a conversation (design decisions §9):
 * those of the contact that goes end, or go on as if nobody had answered. Joins the caller's transaction.
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
