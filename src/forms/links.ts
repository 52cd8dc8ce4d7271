import { audit } from '../audit/service.ts';
import { requireContact } from '../contacts/known.ts';
import type { Context } from '../context.ts';
import type { Keyring } from '../crypto/keyring.ts';
import { transact } from '../db/transact.ts';
import { DAY_MS } from '../durations.ts';
import { AppError, invalidState } from '../errors.ts';
import { formUrl } from './present.ts';
import { requireForm } from './service.ts';
import { sealLink } from './tokens.ts';

export interface LinkParts {
  readonly keyring: Keyring;
  readonly baseUrl: string;
}

/**
 * Creates a link that opens a form for one contact; whoever uses it answers as that contact until it expires. Throws
 * 422 `unknown_contact`, 409 `invalid_state` while the form is not published, and 409 `conflict` for a form that
 * itself asks for a phone.
 */
export const createLink = (
  ctx: Context,
  { id, contactId, days }: { id: string; contactId: string; days: number },
  { keyring, baseUrl }: LinkParts,
): Promise<{ url: string; expires_at: string }> =>
  transact(ctx, async (tx) => {
    const form = await requireForm(tx, id);
    if (!form.personal_link)
      throw new AppError(
        'conflict',
        'This form asks for the phone itself: share its url, or set personal_link to true.',
        { path: 'personal_link' },
      );
    if (form.status !== 'published') throw invalidState(form.status, ['published']);
    await requireContact(tx, contactId);
    const expiresAt = new Date(tx.now.getTime() + days * DAY_MS);
    const { organizationId } = tx;
    const link = sealLink(keyring, { organizationId, formId: id, contactId, expiresAt });
    await audit(tx, {
      action: 'form.link_created',
      target: { type: 'form', id, name: form.title },
      changes: [{ field: 'contact_id', from: null, to: contactId }],
    });
    return { url: `${formUrl(baseUrl, id)}?c=${link}`, expires_at: expiresAt.toISOString() };
  });
