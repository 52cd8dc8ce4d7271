import { endRuns } from '../../automated/runs.ts';
import { recordTakeover } from '../../automated/takeovers.ts';
import type { Context } from '../../context.ts';
import { recordCommand } from '../../outbox/record.ts';

/** Of two conversations about to be merged, in one of which a person answers: the other one; $2 is the survivor. */
const ATTENDED = `
select case when o.handled_by = 'member' then s.id else o.id end as id
from conversations o
join conversations s on s.organization_id = o.organization_id and s.number_id = o.number_id and s.contact_id = $2
where o.organization_id = $1 and o.contact_id = $3 and (o.handled_by = 'member') <> (s.handled_by = 'member')`;

/** A run of an automation in which both contacts have one; $4 is the survivor. */
const TWICE = `r.contact_id = $5 and exists (
  select from automation_runs s where s.organization_id = r.organization_id and s.contact_id = $4
    and s.automation_id = r.automation_id and s.status in ('running', 'waiting'))`;

/**
 * Of two runs that wait in conversations about to be merged: the one with the lower priority, and where both are equal
 * the run of the other contact; $2 is the survivor.
 */
const SILENCED = `
update automation_runs l set waits_for = 'nothing', wait_until = $4
from conversations o
join conversations s on s.organization_id = o.organization_id and s.number_id = o.number_id and s.contact_id = $2
join automation_runs r on r.organization_id = o.organization_id and r.conversation_id = o.id
  and r.waits_for = 'reply' and r.status = 'waiting'
join automation_runs t on t.organization_id = s.organization_id and t.conversation_id = s.id
  and t.waits_for = 'reply' and t.status = 'waiting'
where o.organization_id = $1 and o.contact_id = $3
  and l.organization_id = $1 and l.id = case when r.priority > t.priority then t.id else r.id end
returning l.id`;

/**
 * A person has one run per automation, and one waiting run per conversation (design decisions §9). Where both
 * contacts have a run of one automation, that of the deleted contact ends; where both wait in one conversation, one of
 * them continues as if no reply had come; and where a person answers in one of the two, it is as if they had taken
 * over the other. In the caller's transaction, which has locked the conversations of both, so that no run takes a step
 * there meanwhile.
 */
export async function makeRoomForRuns(tx: Context, id: string, otherId: string): Promise<void> {
  const attended = await tx.sql.rows<{ id: string }>(ATTENDED, [tx.organizationId, id, otherId]);
  for (const conversation of attended) await recordTakeover(tx, conversation.id);
  await endRuns(tx, 'cancelled', { where: TWICE, params: [id, otherId] });
  const silenced = await tx.sql.rows<{ id: string }>(SILENCED, [
    tx.organizationId,
    id,
    otherId,
    tx.now,
  ]);
  for (const run of silenced) await recordCommand(tx, 'run.waiting', { runId: run.id });
}
