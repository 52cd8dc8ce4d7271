import type { Context } from '../../../context.ts';
import { first } from '../../../db/sql.ts';
import { recordCommand } from '../../../outbox/record.ts';
import { failRun } from '../../failing.ts';
import type { RunError } from '../../rules.ts';
import type { Happening } from '../listening/listening.ts';
import { lockRun } from '../run.ts';

interface Lost {
  readonly reason: string;
  readonly message: string;
  readonly stepId: string | null;
  readonly stepType: string | null;
}

// A later delivery report may have corrected it.
const LOST = `
select coalesce(m.error ->> 'reason', '') as reason, coalesce(m.error ->> 'message', '') as message,
  s.step_id as "stepId", s.type as "stepType"
from messages m
left join lateral (select step_id, type from automation_run_steps
  where organization_id = $1 and run_id = m.run_id and output ->> 'message_id' = m.id order by seq desc limit 1) s on true
where m.organization_id = $1 and m.id = $2 and m.status = 'failed'`;

/**
 * A message of a run in progress was lost after it was queued: the run fails, once, at the step that sent it. In the
 * caller's transaction.
 */
export async function loseMessage(tx: Context, { trigger, data }: Happening): Promise<void> {
  const run = await lockRun(tx, String(data['run_id']));
  const lost = await first<Lost>(tx.sql, LOST, [tx.organizationId, trigger.ref]);
  if (!run || !lost) return;
  const error = {
    code: codeOf(lost.reason),
    message: `A message was lost. ${lost.message}`.trim(),
  };
  const { stepId, stepType } = lost;
  const failed = await failRun(tx, { runId: run.id, stepId, stepType, error });
  if (failed && run.hasWorkflow) await recordCommand(tx, 'run.ended', { runId: run.id });
}

/** Reasons for losing messages that are also error codes of runs. */
const SHARED: readonly RunError[] = ['out_of_window', 'number_unavailable'];

const codeOf = (reason: string): RunError =>
  SHARED.find((code) => code === reason) ?? 'send_failed';
