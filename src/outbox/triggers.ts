import type { Context } from '../context.ts';
import { newId } from '../ids.ts';

/** Something that happened to a person and starts one automation by name. */
export interface Trigger {
  readonly automationId: string;
  readonly contactId: string;
  readonly conversationId: string | null;
  /** `type` as in the automation's language; `ref` is the record behind it, as a submission's id. */
  readonly trigger: { readonly type: string; readonly ref: string | null };
}

/**
 * Joins the caller's transaction: kept if and only if the happening is. The automation starts from this
 * row, so whoever records one neither waits for the run nor knows how automations work. While it is not
 * active nothing is kept: what happened then starts no run later either (design decisions §9).
 */
export async function recordTrigger(
  tx: Pick<Context, 'sql' | 'organizationId' | 'now' | 'recorded'>,
  { automationId, contactId, conversationId, trigger }: Trigger,
): Promise<void> {
  await tx.sql.rows(
    `insert into automation_triggers (organization_id, id, automation_id, contact_id, conversation_id, trigger, created_at)
     select $1, $2, a.id, $4, $5, $6, $7 from automations a
     where a.organization_id = $1 and a.id = $3 and a.status = 'active' for share of a`,
    [
      tx.organizationId,
      newId('fct'),
      automationId,
      contactId,
      conversationId,
      JSON.stringify(trigger),
      tx.now,
    ],
  );
  tx.recorded.add('triggers');
}
