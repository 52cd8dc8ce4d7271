import { contactsOf, findPerson } from '../../contacts/identity/senders.ts';
import { reopenWindow } from '../../conversations/receiving/receiving.ts';
import { transactAgain } from '../../db/deadlocks.ts';
import type { InboundCall } from '../../gateway/cloud-api/wire.ts';
import { asWhatsApp, type InboundParts } from '../as-whatsapp.ts';
import { DIGITS } from '../messages/arrivals.ts';
import { momentOf } from '../moments.ts';
import type { NumberOwner } from '../queries.ts';

/** A person called the number. */
export interface Call {
  /** E.164; null for a person known only by WhatsApp's id. */
  readonly phone: string | null;
  readonly waUserId: string | null;
  readonly at: Date;
}

/** Null for calls of ours, and for what becomes of a call later. */
export function callOf(item: InboundCall, now: Date): Call | null {
  const { from, from_user_id: userId = null, event, direction, timestamp } = item;
  if (event !== 'connect' || direction !== 'USER_INITIATED') return null;
  const isPhone = from !== undefined && DIGITS.test(from);
  const waUserId = userId ?? (isPhone ? null : (from ?? null));
  if (!isPhone && waUserId === null) return null;
  return { phone: isPhone ? `+${from}` : null, waUserId, at: momentOf(timestamp, now) };
}

/** A call restarts the 24 hours as a message does (design decisions §22). Strangers who call become no contacts. */
export function applyCall(
  parts: InboundParts,
  { organizationId, numberId }: NumberOwner,
  call: Call,
): Promise<void> {
  return transactAgain(asWhatsApp(parts, organizationId), async (tx) => {
    const person = await findPerson(tx, call);
    if (!person) return;
    const from = call.phone ?? call.waUserId;
    for (const contactId of await contactsOf(tx, person.id, call))
      await reopenWindow(tx, { numberId, contactId }, from, call.at);
  });
}
