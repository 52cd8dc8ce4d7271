import { asPerson } from '../../contacts/identity/strangers.ts';
import { listedOptOut, listOptOut } from '../../contacts/opt-outs/list.ts';
import { optOut } from '../../contacts/opt-outs/opting-out.ts';
import type { InboundMessage } from '../../gateway/cloud-api/wire.ts';
import { asWhatsApp, type InboundParts } from '../as-whatsapp.ts';
import type { NumberOwner } from '../queries.ts';
import { type Sender, senderOf } from '../sender.ts';

/** A person has another phone, and with it another of WhatsApp's ids. */
export interface IdentityChange {
  readonly before: Sender;
  readonly after: Sender;
}

const CHANGES = ['user_changed_number', 'user_changed_user_id'];

/** Null for any other message. Of a person who hides the phone the id alone is told. */
export function identityChangeOf(message: InboundMessage): IdentityChange | null {
  const { from, from_user_id: fromUserId, type, system } = message;
  if (type !== 'system' || !CHANGES.includes(system?.type ?? '')) return null;
  const before = senderOf(from, system?.previous_user_id ?? fromUserId);
  const after = senderOf(system?.wa_id, system?.user_id);
  return before && after && { before, after };
}

/**
 * An opt-out goes along with the person (design decisions §21), unless they have come back as who they are now. Nothing
 * else does: no contact changes.
 */
export const applyIdentityChange = (
  parts: InboundParts,
  { organizationId }: Pick<NumberOwner, 'organizationId'>,
  { before, after }: IdentityChange,
): Promise<void> =>
  asPerson(asWhatsApp(parts, organizationId), after, async (tx, contacts) => {
    const listed = await listedOptOut(tx, before);
    if (!listed) return;
    for (const id of contacts) if (!(await optOut(tx, id, listed))) return;
    await listOptOut(tx, after, listed);
  });
