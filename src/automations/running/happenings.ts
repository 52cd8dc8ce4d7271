import type { Context } from '../../context.ts';
import { first } from '../../db/sql.ts';
import { startRun } from './starting.ts';

/** Something that happened to a person, as it was kept with the happening. */
export interface Happening {
  readonly id: string;
  /** Null: whichever automation listens for it. */
  readonly automationId: string | null;
  readonly contactId: string | null;
  readonly conversationId: string | null;
  readonly trigger: { readonly type: string; readonly ref: string | null };
  readonly data: Readonly<Record<string, unknown>>;
  readonly chain: readonly string[];
  readonly causeRunId: string | null;
}

const TAKE = `
delete from automation_triggers where organization_id = $1 and id = $2
returning id, automation_id as "automationId", contact_id as "contactId", conversation_id as "conversationId", trigger, data,
  chain, cause_run_id as "causeRunId"`;

/**
 * Acts on something that happened, in the caller's transaction, which takes it out of the queue: what
 * happened starts what it starts once.
 *
 * @returns the runs that have steps to take now.
 */
export async function heed(tx: Context, happeningId: string): Promise<readonly string[]> {
  const params = [tx.organizationId, happeningId];
  const happening = await first<Happening>(tx.sql, TAKE, params, 'take-trigger');
  if (!happening) return [];
  const { automationId, contactId } = happening;
  if (automationId === null || contactId === null) return [];
  const { conversationId, trigger, chain, causeRunId } = happening;
  const beginning = { automationId, contactId, conversationId, trigger, chain, causeRunId };
  const started = await startRun(tx, { ...beginning, messageId: null });
  return 'runId' in started ? [started.runId] : [];
}
