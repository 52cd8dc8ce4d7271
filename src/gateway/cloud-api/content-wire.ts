/** What a message brings, in the Cloud API's wire format. */
import { z } from 'zod';

const media = z.looseObject({
  id: z.string(),
  mime_type: z.string().optional(),
  sha256: z.string().optional(),
  caption: z.string().optional(),
  filename: z.string().optional(),
  voice: z.boolean().optional(),
});

/** A card of somebody's address book, of which any part may be missing. */
const card = z
  .looseObject({
    name: z.looseObject({ formatted_name: z.string() }).optional().catch(undefined),
    phones: z.array(z.looseObject({ phone: z.string().catch('') })).catch([]),
  })
  .catch({ phones: [] });

const amount = z.union([z.number(), z.string()]).optional().catch(undefined);
const words = z.string().optional().catch(undefined);

/** What was put into the cart of a catalogue, of which any part may be missing. */
const order = z.looseObject({
  text: words,
  product_items: z
    .array(
      z
        .looseObject({
          product_retailer_id: z.string().catch(''),
          quantity: amount,
          item_price: amount,
          currency: words,
        })
        .catch({ product_retailer_id: '' }),
    )
    .optional()
    .catch(undefined),
});

/** What a person filled into a form within WhatsApp; `response_json` has the answers. */
const formReply = z.looseObject({ body: words, response_json: words });

/** A product of the catalogue that a person asks about. */
export const referredProduct = z
  .looseObject({ product_retailer_id: words })
  .optional()
  .catch(undefined);

const choice = z.looseObject({ id: z.string(), title: z.string() });

/** What can be edited: a text, or a file's caption. */
const editable = {
  text: z.looseObject({ body: z.string() }).optional(),
  image: media.optional(),
  video: media.optional(),
  audio: media.optional(),
  document: media.optional(),
  sticker: media.optional(),
};

/** The object of each kind of message, under the name of the kind. */
export const content = {
  ...editable,
  location: z
    .looseObject({
      latitude: z.number(),
      longitude: z.number(),
      name: z.string().optional(),
      address: z.string().optional(),
    })
    .optional(),
  contacts: z.array(card).optional(),
  button: z.looseObject({ text: z.string(), payload: z.string().optional() }).optional(),
  interactive: z
    .looseObject({
      type: z.string(),
      button_reply: choice.optional(),
      list_reply: choice.optional(),
      nfm_reply: formReply.optional().catch(undefined),
    })
    .optional(),
  order: order.optional().catch(undefined),
  reaction: z.looseObject({ message_id: z.string(), emoji: z.string().optional() }).optional(),
  edit: z
    .looseObject({
      original_message_id: z.string().optional(),
      message: z.looseObject({ type: z.string(), ...editable }).optional(),
    })
    .optional(),
  /** The ad or post of which the person pressed the button. */
  referral: z
    .looseObject({ headline: words, body: words, source_url: words })
    .optional()
    .catch(undefined),
  /** An earlier message was deleted for everyone. */
  revoke: z.looseObject({ original_message_id: z.string().optional() }).optional(),
};

export type Order = z.infer<typeof order>;
export type FormReply = z.infer<typeof formReply>;
export type ContactCard = z.infer<typeof card>;
