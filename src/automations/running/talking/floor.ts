import { first } from '../../../db/sql.ts';
import { recordCommand } from '../../../outbox/record.ts';
import type { AtStep } from '../effect.ts';
import { conversationOfRun } from './places.ts';

const LISTENER = `
select id, priority from automation_runs
where organization_id = $1 and conversation_id = $2 and id <> $3 and waits_for = 'reply' and status = 'waiting'
for no key update`;

const SILENCE = `
update automation_runs set waits_for = 'nothing', wait_until = $3 where organization_id = $1 and id = $2`;

/**
 * Whether this run may wait for a reply in its conversation. Only one run does so at a time; a later one displaces it
 * only with a higher priority, and the displaced run continues as if no answer had come (design decisions §9). The
 * conversation is locked along with the run, so that two that begin at once are ordered.
 */
export async function takesFloor({ tx, run }: AtStep): Promise<boolean> {
  // The step that begins to wait may have opened it.
  const conversationId = run.conversationId ?? (await conversationOfRun(tx, run.id));
  if (conversationId === null) return false;
  const { organizationId } = tx;
  const params = [organizationId, conversationId, run.id];
  const other = await first<{ id: string; priority: number }>(
    tx.sql,
    LISTENER,
    params,
    'listener-in-conversation',
  );
  if (!other) return true;
  if (other.priority >= run.priority) return false;
  await tx.sql.rows(SILENCE, [organizationId, other.id, tx.now]);
  await recordCommand(tx, 'run.waiting', { runId: other.id });
  return true;
}
