import { statusError } from '../graph-errors.ts';
import type { Addressee } from '../phones.ts';

export interface Status {
  wamid: string;
  status: string;
  errorCode: number | null;
  recipient: Addressee;
  key: string | null;
}

const unixSeconds = (): string => String(Math.floor(Date.now() / 1000));

/** Account of every number of the simulator. */
const ACCOUNT_ID = '100000000000001';

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

/** The webhook that tells what became of messages of one number. */
export function statusWebhook(phoneNumberId: string, statuses: readonly Status[]) {
  return envelope(phoneNumberId, { statuses: statuses.map(statusItem) });
}

/** A file that a person sends: one that was uploaded to the simulator before. */
interface InboundFile {
  readonly type: 'image' | 'video' | 'audio' | 'document' | 'sticker';
  readonly id: string;
  readonly mime_type: string;
  readonly filename?: string | undefined;
}

/** What a person wrote to one of our numbers, or into a group that it is in. */
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

/** What somebody of the business typed on the handset of one of our numbers. */
export interface EchoedText {
  readonly wamid: string;
  readonly to: Addressee;
  readonly text: string;
}

/** The webhook that tells of a message which did not come from us. */
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

/** What may happen to a number itself. The first two are WhatsApp's words, the others a paired device's. */
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

/** The webhook about a number: its quality as WhatsApp tells of it, its device as the simulator does. */
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
