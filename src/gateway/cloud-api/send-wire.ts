interface SendCommon {
  messaging_product: 'whatsapp';
  recipient_type: 'individual' | 'group';
  /** A phone number in digits, or a group's id. Absent when `recipient` addresses the person. */
  to?: string;
  /** A business-scoped user id, for people without a known phone number. */
  recipient?: string;
  /** At most 512 characters; returned in every status webhook for this message. */
  biz_opaque_callback_data?: string;
  context?: { message_id: string };
}

interface SendText extends SendCommon {
  type: 'text';
  text: { body: string; preview_url?: boolean };
}

interface SendTemplate extends SendCommon {
  type: 'template';
  template: {
    name: string;
    language: { code: string };
    components?: {
      type: 'header' | 'body' | 'button';
      sub_type?: 'quick_reply' | 'url';
      index?: string;
      parameters: { type: 'text'; text: string; parameter_name?: string }[];
    }[];
  };
}

export type MediaObject = ({ id: string } | { link: string }) & {
  caption?: string;
  filename?: string;
};

type SendMedia = SendCommon &
  (
    | { type: 'image'; image: MediaObject }
    | { type: 'video'; video: MediaObject }
    | { type: 'audio'; audio: MediaObject }
    | { type: 'document'; document: MediaObject }
    | { type: 'sticker'; sticker: MediaObject }
  );

/** The body of `POST /{version}/{phone_number_id}/messages`. */
export type SendBody = SendText | SendTemplate | SendMedia;
