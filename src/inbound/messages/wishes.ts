import { contactsOf } from '../../contacts/identity/senders.ts';
import { claimConfirmation, optIn, optOut, type Wish } from '../../contacts/opt-outs/opting-out.ts';
import { type Effect, effectOf } from '../../contacts/opt-outs/phrases.ts';
import { lockFound } from '../../contacts/person.ts';
import type { Context } from '../../context.ts';
import type { KeptMessage } from '../../conversations/receiving/receiving.ts';
import { queueMessage } from '../../conversations/sending/outgoing.ts';
import { languageOf } from '../../workspaces/service.ts';
import type { Arrival } from './arrivals.ts';

/** Whether a message opted out or in, and whether the person is opted out now. */
export interface AppliedWish {
  /** Null for an ordinary message. Automations ignore all others. */
  readonly wish: Effect | null;
  readonly optedOut: boolean;
}

/** The payload of a quick-reply button that means the same as the word. */
const OPT_OUT_PAYLOAD = 'opt_out';

/**
 * Acts on a message that opts out or in (design decisions §21), in the transaction that stores it and before anyone
 * else sees it. A person who opts out gets a confirmation, at most once in 24 hours.
 */
export async function applyWish(
  tx: Context,
  message: KeptMessage,
  contact: { readonly id: string; readonly optedOut: boolean },
  arrival: Arrival,
): Promise<AppliedWish> {
  const byButton = arrival.payload === OPT_OUT_PAYLOAD;
  const wish = byButton ? 'out' : await wishOf(tx, arrival);
  if (wish === null) return { wish, optedOut: contact.optedOut };
  const person = await lockFound(tx, () => contactsOf(tx, contact.id, arrival));
  if (wish === 'in') {
    const returned = await optInAll(tx, person, arrival.at);
    // People who never left mean something else: "Voltar" goes back in an automation's menu.
    return { wish: returned ? wish : null, optedOut: contact.optedOut && !returned };
  }
  const { messageId, conversationId } = message;
  const source = byButton ? 'button' : 'message';
  const out = await optOutAll(tx, person, { source, messageId, at: arrival.at });
  if (await claimConfirmation(tx, contact.id)) {
    const text = await confirmationFor(tx);
    await queueMessage(tx, { conversationId, source: 'system', text });
  }
  return { wish, optedOut: out };
}

/** Whether one of them is out now: a later wish may have come before. */
async function optOutAll(tx: Context, ids: readonly string[], wish: Wish): Promise<boolean> {
  let out = false;
  for (const id of ids) out = (await optOut(tx, id, wish)) || out;
  return out;
}

/** Whether that brought one of them back. */
async function optInAll(tx: Context, ids: readonly string[], at: Date): Promise<boolean> {
  let returned = false;
  for (const id of ids) returned = (await optIn(tx, id, { source: 'message', at })) || returned;
  return returned;
}

/** A caption or a reaction does not count as a whole message; the new words of an edited one do. */
const wishOf = (tx: Context, { type, text }: Arrival): Promise<Effect | null> =>
  type === 'text' || type === 'edit' ? effectOf(tx, text) : Promise.resolve(null);

const CONFIRMATIONS: Readonly<Record<string, string>> = {
  pt: 'Pronto, você não vai mais receber nossas mensagens. Para voltar a receber, responda VOLTAR.',
  en: 'Done, you will receive no more messages from us. To receive them again, reply START.',
  es: 'Listo, ya no recibirá nuestros mensajes. Para volver a recibirlos, responda VOLTAR.',
};

/** In the workspace's language, otherwise in English. */
async function confirmationFor(ctx: Context): Promise<string> {
  const language = (await languageOf(ctx)).slice(0, 2).toLowerCase();
  return CONFIRMATIONS[language] ?? CONFIRMATIONS['en'] ?? '';
}
