import type { RunStatus } from '../../../src/automations/rules.ts';
import { type AutomationDetail, newAutomation } from '../../../src/automations/schema.ts';
import { createAutomation } from '../../../src/automations/service.ts';
import { activateAutomation } from '../../../src/automations/transitions.ts';
import type { Context } from '../../../src/context.ts';
import { transact } from '../../../src/db/transact.ts';
import { newId } from '../../../src/ids.ts';

type Wishes = Partial<Parameters<typeof newAutomation.parse>[0] & object>;

/**
 * A draft that says hello to whoever writes; wishes are the body of `POST /v1/automations`.
 *
 * @param trustedOrigins servers on loopback that its steps may name.
 */
export const anAutomation = (
  ctx: Context,
  wishes: Wishes = {},
  trustedOrigins: readonly string[] = [],
): Promise<AutomationDetail> =>
  createAutomation(
    ctx,
    newAutomation.parse({
      name: 'Boas-vindas',
      trigger: { type: 'message_received' },
      steps: [
        { id: 'hello', type: 'send_message', text: 'Oi {{first_name|tudo bem}}!', next: 'end' },
        { id: 'end', type: 'end' },
      ],
      ...wishes,
    }),
    { trustedOrigins },
  );

/** The same, turned on: version 1. */
export const anActiveAutomation = async (
  ctx: Context,
  wishes: Wishes = {},
  trustedOrigins: readonly string[] = [],
): Promise<AutomationDetail> =>
  activateAutomation(ctx, (await anAutomation(ctx, wishes, trustedOrigins)).id);

export interface RunWishes {
  readonly automationId: string;
  readonly contactId: string;
  readonly conversationId?: string | null;
  /** `waiting` unless told. */
  readonly status?: RunStatus;
}

/** A run of version 1 as its row, with one step done and one that stands as the run does. */
export async function aRun(ctx: Context, wishes: RunWishes): Promise<string> {
  const id = newId('run');
  const { status = 'waiting', conversationId = null } = wishes;
  const ended = status === 'running' || status === 'waiting' ? null : ctx.now;
  const stepStatus = status === 'handed_over' ? 'succeeded' : status;
  await transact(ctx, async (tx) => {
    await tx.sql.rows(
      `insert into automation_runs (organization_id, id, automation_id, version, contact_id, conversation_id, trigger,
         status, current_step_id, wait_until, error, started_at, finished_at)
       values ($1, $2, $3, 1, $4, $5, $6, $7, 'end', case when $7 = 'waiting' then $8::timestamptz + interval '1 day' end,
         $9, $8, $10)`,
      [
        tx.organizationId,
        id,
        wishes.automationId,
        wishes.contactId,
        conversationId,
        JSON.stringify({ type: 'message_received', ref: newId('msg') }),
        status,
        tx.now,
        status === 'failed'
          ? JSON.stringify({ step_id: 'end', code: 'send_failed', message: 'It did not leave.' })
          : null,
        ended,
      ],
    );
    await tx.sql.rows(
      `insert into automation_run_steps (organization_id, run_id, seq, step_id, type, status, output, started_at, finished_at)
       values ($1, $2, 1, 'hello', 'send_message', 'succeeded', $3, $4, $4), ($1, $2, 2, 'end', 'end', $5, null, $4, $6)`,
      [
        tx.organizationId,
        id,
        JSON.stringify({ message_id: newId('msg') }),
        tx.now,
        stepStatus,
        ended,
      ],
    );
  });
  return id;
}
