import { contactsOf } from '../../contacts/identity/senders.ts';
import { claimConfirmation, optIn, optOut } from '../../contacts/opt-outs/opting-out.ts';
import { type Effect, effectOf } from '../../contacts/opt-outs/phrases.ts';
import { lockFound } from '../../contacts/person.ts';
import type { Context } from '../../context.ts';
import type { KeptMessage } from '../../conversations/receiving/receiving.ts';
import { queueMessage } from '../../conversations/sending/outgoing.ts';
import { languageOf } from '../../workspaces/service.ts';
import type { Arrival } from './arrivals.ts';

/** The payload of a quick-reply button that means the same as the word. */
const OPT_OUT_PAYLOAD = 'opt_out';

/**
 * Acts on a message that opts out or in (design decisions §21), in the transaction that stores it and before anyone
 * else sees it. A person who opts out gets a confirmation, at most once in 24 hours.
 *
 * @returns null for an ordinary message; automations ignore all others
 */
export async function applyOptOutWords(
  tx: Context,
  message: KeptMessage,
  contactId: string,
  arrival: Arrival,
): Promise<Effect | null> {
  const byButton = arrival.payload === OPT_OUT_PAYLOAD;
  const effect = byButton ? 'out' : await effectOfWords(tx, arrival);
  if (effect === null) return null;
  const person = await lockFound(tx, () => contactsOf(tx, contactId, arrival));
  // People who never left mean something else: "Voltar" goes back in an automation's menu.
  if (effect === 'in') return (await optInAll(tx, person, arrival.at)) ? effect : null;
  const { messageId, conversationId } = message;
  const source = byButton ? 'button' : 'message';
  for (const id of person) await optOut(tx, id, { source, messageId, at: arrival.at });
  if (await claimConfirmation(tx, contactId)) {
    const text = await confirmationFor(tx);
    await queueMessage(tx, { conversationId, source: 'system', text });
  }
  return effect;
}

/** Whether that brought one of them back. */
async function optInAll(tx: Context, ids: readonly string[], at: Date): Promise<boolean> {
  let returned = false;
  for (const id of ids) returned = (await optIn(tx, id, { source: 'message', at })) || returned;
  return returned;
}

/** A caption or a reaction does not count as a whole message; the new words of an edited one do. */
const effectOfWords = (tx: Context, { type, text }: Arrival): Promise<Effect | null> =>
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
