import { statusError } from '../graph-errors.ts';
import type { Addressee } from '../phones.ts';
import { newWamid } from '../sending/wamid.ts';

/** The account of all numbers in the simulator. */
export const ACCOUNT_ID = '100000000000001';

export interface Status {
  wamid: string;
  status: string;
  errorCode: number | null;
  recipient: Addressee;
  key: string | null;
}

const unixSeconds = (): string => String(Math.floor(Date.now() / 1000));

function envelope(phoneNumberId: string, value: object, field = 'messages') {
  return {
    object: 'whatsapp_business_account',
    entry: [
      {
        id: ACCOUNT_ID,
        changes: [
          {
            field,
            value: {
              messaging_product: 'whatsapp',
              metadata: { display_phone_number: phoneNumberId, phone_number_id: phoneNumberId },
              ...value,
            },
          },
        ],
      },
    ],
  };
}

function statusItem({ wamid, status, errorCode, recipient, key }: Status) {
  return {
    id: wamid,
    status,
    timestamp: unixSeconds(),
    ...(recipient.isPhone ? { recipient_id: recipient.id } : { recipient_user_id: recipient.id }),
    ...(key === null ? {} : { biz_opaque_callback_data: key }),
    ...(errorCode === null
      ? { pricing: { billable: true, pricing_model: 'PMP', category: 'utility', type: 'regular' } }
      : { errors: [statusError(errorCode)] }),
  };
}

/** The webhook with statuses of one number's messages. */
export function statusWebhook(phoneNumberId: string, statuses: readonly Status[]) {
  return envelope(phoneNumberId, { statuses: statuses.map(statusItem) });
}

/** A file from a person: one that was uploaded to the simulator before. */
interface InboundFile {
  readonly type: 'image' | 'video' | 'audio' | 'document' | 'sticker';
  readonly id: string;
  readonly mime_type: string;
  readonly filename?: string | undefined;
}

/** A message from a person to one of our numbers, or into a group that it is in. */
export interface InboundText {
  readonly wamid: string;
  readonly from: Addressee;
  readonly name: string;
  readonly text: string;
  readonly groupId?: string | undefined;
  readonly file?: InboundFile | undefined;
}

/** The webhook of a person's message. */
export function inboundWebhook(phoneNumberId: string, message: InboundText) {
  const { wamid, from, name, groupId } = message;
  return envelope(phoneNumberId, {
    contacts: [
      { profile: { name }, ...(from.isPhone ? { wa_id: from.id } : { user_id: from.id }) },
    ],
    messages: [
      {
        ...(from.isPhone ? { from: from.id } : { from_user_id: from.id }),
        ...(groupId ? { group_id: groupId } : {}),
        id: wamid,
        timestamp: unixSeconds(),
        ...contentOf(message),
      },
    ],
  });
}

/** The webhook about a person who has another phone or, where they hide it, another id. */
export function changeWebhook(phoneNumberId: string, from: Addressee, to: Addressee) {
  const [before, after, type] = to.isPhone
    ? [{ from: from.id }, { wa_id: to.id }, 'user_changed_number']
    : [{}, { previous_user_id: from.id, user_id: to.id }, 'user_changed_user_id'];
  const notice = {
    ...before,
    id: newWamid(to.id),
    timestamp: unixSeconds(),
    type: 'system',
    system: { body: `User changed from ${from.id} to ${to.id}`, ...after, type },
  };
  return envelope(phoneNumberId, { messages: [notice] });
}

/** A message that someone in the business typed on the number's phone. */
export interface EchoedText {
  readonly wamid: string;
  readonly to: Addressee;
  readonly text: string;
}

/** The webhook about a message that did not come from us. */
export function echoWebhook(phoneNumberId: string, { wamid, to, text }: EchoedText) {
  const echo = {
    from: phoneNumberId,
    to: to.id,
    id: wamid,
    timestamp: unixSeconds(),
    type: 'text',
    text: { body: text },
  };
  return envelope(phoneNumberId, { message_echoes: [echo] }, 'smb_message_echoes');
}

function contentOf({ text, file }: InboundText) {
  if (!file) return { type: 'text', text: { body: text } };
  const { type, ...described } = file;
  return { type, [type]: { ...described, ...(text ? { caption: text } : {}) } };
}

/** Events of a number itself. The first two are WhatsApp's terms, the others describe a paired device. */
export const NUMBER_EVENTS = [
  'FLAGGED',
  'UNFLAGGED',
  'code',
  'paired',
  'codes_exhausted',
  'heartbeat',
  'closed',
  'opened',
  'logged_out',
] as const;
export type NumberEvent = (typeof NUMBER_EVENTS)[number];

/** The webhook about a number: its quality as WhatsApp reports it, its device as the simulator does. */
export function numberWebhook(phoneNumberId: string, event: NumberEvent) {
  const quality = event === 'FLAGGED' || event === 'UNFLAGGED';
  const field = quality ? 'phone_number_quality_update' : 'paired_session';
  const value = quality
    ? { display_phone_number: phoneNumberId, event }
    : { metadata: { phone_number_id: phoneNumberId }, event };
  const time = Math.floor(Date.now() / 1000);
  return {
    object: 'whatsapp_business_account',
    entry: [{ id: ACCOUNT_ID, time, changes: [{ field, value }] }],
  };
}
