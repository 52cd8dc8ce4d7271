import { audit } from '../audit/service.ts';
import { requireContact } from '../contacts/known.ts';
import type { Context } from '../context.ts';
import { transact } from '../db/transact.ts';
import { invalidState } from '../errors.ts';
import { recordTrigger } from '../outbox/happenings.ts';
import { requireLocked, targetOf } from './service.ts';

export interface StartedByHand {
  readonly automation_id: string;
  readonly contact_id: string;
}

/**
 * Starts an active automation for a contact, whatever its trigger; as always, its entry rules decide a moment later.
 * Throws 404, 409 `invalid_state` if the automation is not active, 422 `unknown_contact`.
 */
export const startByHand = (
  ctx: Context,
  automationId: string,
  contactId: string,
): Promise<StartedByHand> =>
  transact(ctx, async (tx) => {
    const automation = await requireLocked(tx, automationId);
    if (automation.status !== 'active') throw invalidState(automation.status, ['active']);
    await requireContact(tx, contactId);
    const trigger = { type: 'manual', ref: null };
    await recordTrigger(tx, { automationId, contactId, conversationId: null, trigger });
    await audit(tx, {
      action: 'automation.started',
      target: targetOf(automation),
      changes: [{ field: 'contact_id', from: null, to: contactId }],
    });
    return { automation_id: automationId, contact_id: contactId };
  });
