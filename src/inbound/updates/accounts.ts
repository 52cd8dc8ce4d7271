import { audit } from '../../audit/service.ts';
import { transact } from '../../db/transact.ts';
import { resyncTemplates } from '../../templates/resync.ts';
import { asWhatsApp, type InboundParts } from '../as-whatsapp.ts';
import type { NumberOwner } from '../queries.ts';

/**
 * The business account of a number that was connected without it, as WhatsApp names it beside the number. By the account
 * templates are read, and what befalls an account reaches its numbers.
 */
export const learnAccount = (
  parts: InboundParts,
  { organizationId, numberId }: NumberOwner,
  businessAccountId: string,
): Promise<void> =>
  transact(asWhatsApp(parts, organizationId), async (tx) => {
    const [learnt] = await tx.sql.rows<{ name: string }>(
      `update numbers set business_account_id = $3
       where organization_id = $1 and id = $2 and business_account_id is null returning name`,
      [organizationId, numberId, businessAccountId],
    );
    if (!learnt) return;
    await resyncTemplates(tx, numberId, { otherAccount: true });
    const changes = [{ field: 'business_account_id', from: null, to: businessAccountId }];
    const target = { type: 'number', id: numberId, name: learnt.name };
    await audit(tx, { action: 'number.updated', target, changes });
  });
