import type { InboundMessage } from '../../gateway/cloud-api/wire.ts';
import { MEDIA_KINDS } from '../../gateway/port.ts';
import { fileNameToShow, nameToShow } from '../../http/fields.ts';
import { momentOf } from '../moments.ts';
import { type Sender, senderOf } from '../sender.ts';
import { cardsText, formText, leadText, orderText, placeText } from './content-texts.ts';

/** A message from a person, in our terms. */
export interface Arrival extends Sender {
  /** WhatsApp's id, `wamid.…`: a message is stored once per id. */
  readonly providerId: string;
  /** The name of the person's profile, or "". */
  readonly name: string;
  readonly at: Date;
  readonly type: string;
  readonly text: string;
  readonly media: { readonly id: string; readonly name: string; readonly type: string } | null;
  /** WhatsApp's id of the message it replies or reacts to. */
  readonly replyTo: string | null;
  /** The payload of a pressed button (a template's quick reply or a reply button); null for anything else. */
  readonly payload: string | null;
  /** The ad, post or product by which the person came to write; mostly "". */
  readonly lead: string;
  /** WhatsApp's id of the group it was written in; null for a direct message. */
  readonly groupId: string | null;
}

interface WireContact {
  readonly wa_id?: string | undefined;
  readonly user_id?: string | undefined;
  readonly profile?: { readonly name?: string | undefined } | undefined;
}

/** Null for a notice of WhatsApp's that no person wrote. */
export function arrivalOf(
  message: InboundMessage,
  contacts: readonly WireContact[],
  now: Date,
): Arrival | null {
  if (message.type === 'system') return null;
  const contact = contactOf(message, contacts);
  const sender = senderOf(message.from, message.from_user_id ?? contact?.user_id);
  if (!sender) return null;
  const change = message.type === 'revoke' ? { ...message.revoke } : message.edit;
  return {
    ...sender,
    name: nameToShow(contact?.profile?.name ?? '', 200),
    ...(change ? changedTo(change) : contentOf(message)),
    providerId: message.id,
    at: momentOf(message.timestamp, now),
    replyTo:
      change?.original_message_id ?? message.reaction?.message_id ?? message.context?.id ?? null,
    lead: change ? '' : leadText(message),
    groupId: message.group_id ?? null,
    payload: message.button?.payload ?? message.interactive?.button_reply?.id ?? null,
  };
}

const contactOf = (
  { from, from_user_id: fromUserId }: InboundMessage,
  contacts: readonly WireContact[],
): WireContact | undefined =>
  contacts.find(({ wa_id, user_id }) => isSame(wa_id, from) || isSame(user_id, fromUserId)) ??
  (contacts.length === 1 ? contacts[0] : undefined);

const isSame = (a: string | undefined, b: string | undefined): boolean =>
  a !== undefined && a === b;

type Content = Pick<Arrival, 'type' | 'text' | 'media'>;

/** The content, whoever wrote it. */
export function contentOf(message: InboundMessage): Content {
  for (const type of MEDIA_KINDS) {
    const media = message[type];
    if (message.type !== type || !media) continue;
    const { id, filename = '', mime_type = '', caption = '' } = media;
    return { type, text: caption, media: { id, name: fileNameToShow(filename), type: mime_type } };
  }
  return { ...textOf(message), media: null };
}

/** The new words of an earlier message, whose file stays the same; none where they were taken back. */
function changedTo({ message }: NonNullable<InboundMessage['edit']>): Content {
  const captioned = MEDIA_KINDS.find((type) => type === message?.type);
  const text = captioned ? message?.[captioned]?.caption : message?.text?.body;
  return { type: 'edit', text: text ?? '', media: null };
}

function textOf(message: InboundMessage): Pick<Arrival, 'type' | 'text'> {
  const { interactive, reaction } = message;
  switch (message.type) {
    case 'text':
      return { type: 'text', text: message.text?.body ?? '' };
    case 'button':
      return { type: 'text', text: message.button?.text ?? '' };
    case 'interactive': {
      const text = interactive?.button_reply?.title ?? interactive?.list_reply?.title;
      return text === undefined
        ? { type: 'unsupported', text: formText(interactive?.nfm_reply) }
        : { type: 'text', text };
    }
    case 'reaction':
      return { type: 'reaction', text: reaction?.emoji ?? '' };
    case 'location':
      return { type: 'location', text: placeText(message.location) };
    case 'contacts':
      return { type: 'contacts', text: cardsText(message.contacts) };
    case 'order':
      return { type: 'unsupported', text: orderText(message.order) };
    default:
      return { type: 'unsupported', text: '' };
  }
}
