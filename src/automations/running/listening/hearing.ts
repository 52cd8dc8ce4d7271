import type { Context } from '../../../context.ts';
import type { Move } from '../moves.ts';
import type { Run } from '../run.ts';
import { takeStep } from '../step.ts';

/** A run with steps to take, and the state in which a step already taken leaves it. */
export interface OnTheWay {
  readonly runId: string;
  readonly move?: Move;
  /** The run as it began in this transaction. */
  readonly begun?: Run;
}

/** How the runs of a conversation responded to a person's message. */
export interface Heard {
  /**
   * `taken`: a run took it as its reply or its beginning, so it starts nothing else. `later`: a run is taking steps,
   * and its state afterwards decides. `busy`: a run is calling another server, which may take some time.
   */
  readonly kind: 'taken' | 'later' | 'busy' | 'nobody';
  readonly runs: readonly OnTheWay[];
}

interface RunBeside {
  readonly id: string;
  readonly took: boolean;
  readonly listens: boolean;
  readonly moving: boolean;
  readonly calling: boolean;
}

const BESIDE = `
select id, coalesce(message_id >= $3, false) as took,
  status = 'waiting' and waits_for = 'reply' and coalesce(replies_after < $3, true) as listens,
  status = 'running' and lease_until is null as moving, status = 'running' and lease_until is not null as calling
from automation_runs
where organization_id = $1 and conversation_id = $2 and (status in ('running', 'waiting') or message_id >= $3)`;

/**
 * Offers a message to the run that waits for a reply in its conversation, in the caller's transaction. A run gets the
 * messages of its conversation in order and once each, so it may take an earlier one first.
 */
export async function hear(
  tx: Context,
  { conversationId, messageId }: { conversationId: string; messageId: string },
): Promise<Heard> {
  const beside = (): Promise<RunBeside[]> => {
    const params = [tx.organizationId, conversationId, messageId];
    return tx.sql.rows<RunBeside>(BESIDE, params, 'runs-beside-message');
  };
  const runs = await beside();
  if (runs.some(({ took }) => took)) return { kind: 'taken', runs: [] };
  const moving = runs.filter((run) => run.moving).map(({ id }) => ({ runId: id }));
  if (moving.length > 0) return { kind: 'later', runs: moving };
  if (runs.some(({ calling }) => calling)) return { kind: 'busy', runs: [] };
  const listener = runs.find(({ listens }) => listens);
  if (!listener) return { kind: 'nobody', runs: [] };
  const move = await takeStep(tx, listener.id, 'lane', { together: true });
  const onTheWay = [{ runId: listener.id, move }];
  if ((await beside()).some(({ took }) => took)) return { kind: 'taken', runs: onTheWay };
  // It took an earlier message, and may take this one next.
  const mayHear = move.kind === 'on' || (move.kind === 'wait' && move.for === 'reply');
  return { kind: mayHear ? 'later' : 'nobody', runs: onTheWay };
}
