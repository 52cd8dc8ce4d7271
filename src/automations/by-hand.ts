import { getContact } from '../contacts/service.ts';
import type { Context } from '../context.ts';
import { transact } from '../db/transact.ts';
import { invalidState } from '../errors.ts';
import { recordTrigger } from '../outbox/happenings.ts';
import { requireLocked } from './service.ts';

export interface StartedByHand {
  readonly automation_id: string;
  readonly contact_id: string;
}

/**
 * Starts an active automation for a contact, whatever its trigger; as always, its entry rules decide a moment later.
 * Throws 404 for either, 409 `invalid_state` if the automation is not active.
 */
export const startByHand = (
  ctx: Context,
  automationId: string,
  contactId: string,
): Promise<StartedByHand> =>
  transact(ctx, async (tx) => {
    const { status } = await requireLocked(tx, automationId);
    if (status !== 'active') throw invalidState(status, ['active']);
    await getContact(tx, contactId);
    const trigger = { type: 'manual', ref: null };
    await recordTrigger(tx, { automationId, contactId, conversationId: null, trigger });
    return { automation_id: automationId, contact_id: contactId };
  });
