import { contactsOf, findPerson } from '../../contacts/identity/senders.ts';
import { reopenWindow } from '../../conversations/receiving/receiving.ts';
import { transact } from '../../db/transact.ts';
import type { InboundCall } from '../../gateway/cloud-api/wire.ts';
import { asWhatsApp, type InboundParts } from '../as-whatsapp.ts';
import { momentOf } from '../moments.ts';
import type { NumberOwner } from '../queries.ts';
import { type Sender, senderOf } from '../sender.ts';

/** A person called the number. */
export interface Call extends Sender {
  readonly at: Date;
}

/** Null for calls of ours, and for what becomes of a call later. */
export function callOf(item: InboundCall, now: Date): Call | null {
  const { from, from_user_id: userId, event, direction, timestamp } = item;
  if (event !== 'connect' || direction !== 'USER_INITIATED') return null;
  const sender = senderOf(from, userId);
  return sender && { ...sender, at: momentOf(timestamp, now) };
}

/** A call restarts the 24 hours as a message does (design decisions §22). Strangers who call become no contacts. */
export function applyCall(
  parts: InboundParts,
  { organizationId, numberId }: NumberOwner,
  call: Call,
): Promise<void> {
  return transact(asWhatsApp(parts, organizationId), async (tx) => {
    const person = await findPerson(tx, call);
    if (!person) return;
    const from = call.phone ?? call.waUserId;
    for (const contactId of await contactsOf(tx, person.id, call))
      await reopenWindow(tx, { numberId, contactId }, from, call.at);
  });
}
