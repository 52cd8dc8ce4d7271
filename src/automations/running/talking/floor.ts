import { first } from '../../../db/sql.ts';
import { recordCommand } from '../../../outbox/record.ts';
import type { AtStep } from '../effect.ts';
import { conversationOfRun, placeToTalk } from './places.ts';

const LISTENER = `
select id, priority from automation_runs
where organization_id = $1 and conversation_id = $2 and id <> $3 and waits_for = 'reply' and status = 'waiting'
for no key update`;

interface Listener {
  readonly id: string;
  readonly priority: number;
}

const listenerBeside = ({ tx, run }: AtStep, conversationId: string): Promise<Listener | null> =>
  first<Listener>(
    tx.sql,
    LISTENER,
    [tx.organizationId, conversationId, run.id],
    'listener-in-conversation',
  );

const SILENCE = `
update automation_runs set waits_for = 'nothing', wait_until = $3 where organization_id = $1 and id = $2`;

/**
 * Whether this run may wait for a reply in its conversation. Only one run does so at a time; a later one displaces it
 * only with a higher priority, and the displaced run continues as if no answer had come (design decisions §9). The
 * conversation is locked along with the run, so that two that begin at once are ordered.
 */
export async function takesFloor(at: AtStep): Promise<boolean> {
  const { tx, run } = at;
  // The step that begins to wait may have opened it.
  const conversationId = run.conversationId ?? (await conversationOfRun(tx, run.id));
  if (conversationId === null) return false;
  const other = await listenerBeside(at, conversationId);
  if (!other) return true;
  if (other.priority >= run.priority) return false;
  await tx.sql.rows(SILENCE, [tx.organizationId, other.id, tx.now]);
  await recordCommand(tx, 'run.waiting', { runId: other.id });
  return true;
}

/**
 * Whether this run would hear an answer to what it says now: nothing is sent if it would not. It displaces nobody
 * before it has said something; and while no number can send, nobody listens where it will speak.
 */
export async function wouldHear(at: AtStep): Promise<boolean> {
  const conversationId = await placeToTalk(at);
  const other = conversationId === null ? null : await listenerBeside(at, conversationId);
  return other === null || other.priority < at.run.priority;
}
