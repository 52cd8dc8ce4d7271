import { requirePermission } from '../access/actor.ts';
import { audit } from '../audit/service.ts';
import { automationsNaming } from '../automated/references.ts';
import type { Context } from '../context.ts';
import { transact } from '../db/transact.ts';
import { refuseUsed } from '../errors.ts';
import { requireStep } from './rules.ts';
import { requireLocked } from './service.ts';

/**
 * Removes a form that was never published, so that nobody has its address. Throws 403, 404, 409 `invalid_state`, and
 * `in_use` while an automation names it.
 */
export const removeForm = (ctx: Context, id: string): Promise<void> => {
  requirePermission(ctx.actor, 'forms.write');
  return transact(ctx, async (tx) => {
    const { title, status } = await requireLocked(tx, id);
    requireStep(status, 'remove');
    const automations = await automationsNaming(tx, id);
    refuseUsed({ automations }, 'An automation names this form. Change it first.');
    await tx.sql.rows('delete from forms where organization_id = $1 and id = $2', [
      tx.organizationId,
      id,
    ]);
    await audit(tx, { action: 'form.removed', target: { type: 'form', id, name: title } });
  });
};
