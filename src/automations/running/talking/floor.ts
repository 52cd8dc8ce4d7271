import { recordCommand } from '../../../outbox/record.ts';
import type { AtStep } from '../effect.ts';
import type { Run } from '../run.ts';
import { conversationOfRun, lockPlace, placeToTalk } from './places.ts';

// A talk keeps its conversation while its model is asked.
const LISTENERS = `
select r.id, r.priority, r.status = 'waiting' as waits from automation_runs r
where r.organization_id = $1 and r.conversation_id = $2 and r.id <> $3 and r.status in ('running', 'waiting')
  and (r.waits_for = 'reply' and r.status = 'waiting' or r.lease_until is not null and r.status = 'running'
    and (select s.type from automation_run_steps s
      where s.organization_id = $1 and s.run_id = r.id and s.seq = r.steps_taken) = 'ai_reply')
for no key update of r`;

interface Listener {
  readonly id: string;
  readonly priority: number;
  readonly waits: boolean;
}

const listenersBeside = ({ tx, run }: AtStep, conversationId: string): Promise<Listener[]> =>
  tx.sql.rows(LISTENERS, [tx.organizationId, conversationId, run.id], 'listeners-in-conversation');

const areLess = (others: readonly Listener[], { priority }: Run): boolean =>
  others.every((other) => other.priority < priority);

const SILENCE = `
update automation_runs set waits_for = 'nothing', wait_until = $3 where organization_id = $1 and id = $2`;

/**
 * Whether this run may wait for a reply in its conversation. Only one run does so at a time; a later one displaces it
 * only with a higher priority, and the displaced run continues as if no answer had come (design decisions §9). One
 * whose model is being asked finds out by its answer. The conversation is locked along with the run, so that two that
 * begin at once are ordered.
 */
export async function takesFloor(at: AtStep): Promise<boolean> {
  const { tx, run } = at;
  // The step that begins to wait may have opened it.
  const conversationId = run.conversationId ?? (await conversationOfRun(tx, run.id));
  if (conversationId === null) return false;
  const others = await listenersBeside(at, conversationId);
  if (!areLess(others, run)) return false;
  for (const { id } of others.filter(({ waits }) => waits)) {
    await tx.sql.rows(SILENCE, [tx.organizationId, id, tx.now]);
    await recordCommand(tx, 'run.waiting', { runId: id });
  }
  return true;
}

/**
 * Whether this run would hear an answer to what it says now: nothing is sent if it would not. It displaces nobody
 * before it has said something; and while no number can send, nobody listens where it will speak.
 */
export async function wouldHear(at: AtStep): Promise<boolean> {
  const conversationId = await placeToTalk(at);
  if (conversationId === null) return true;
  await lockPlace(at, conversationId);
  return areLess(await listenersBeside(at, conversationId), at.run);
}
