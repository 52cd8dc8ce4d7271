import { statusError } from './graph-errors.ts';
import type { Addressee } from './phones.ts';

export interface Status {
  wamid: string;
  status: string;
  errorCode: number | null;
  recipient: Addressee;
  key: string | null;
}

const unixSeconds = (): string => String(Math.floor(Date.now() / 1000));

function envelope(phoneNumberId: string, value: object) {
  return {
    object: 'whatsapp_business_account',
    entry: [
      {
        id: '100000000000001',
        changes: [
          {
            field: 'messages',
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

/** The webhook of a text that a person wrote to one of our numbers. */
export function inboundWebhook(
  phoneNumberId: string,
  message: { wamid: string; from: Addressee; name: string; text: string },
) {
  const { wamid, from, name, text } = message;
  return envelope(phoneNumberId, {
    contacts: [
      { profile: { name }, ...(from.isPhone ? { wa_id: from.id } : { user_id: from.id }) },
    ],
    messages: [
      {
        ...(from.isPhone ? { from: from.id } : { from_user_id: from.id }),
        id: wamid,
        timestamp: unixSeconds(),
        type: 'text',
        text: { body: text },
      },
    ],
  });
}
