import { LONGEST, truncate } from '../../conversations/sending/lengths.ts';
import type { ContactCard, FormReply, Order } from '../../gateway/cloud-api/content-wire.ts';
import { jsonOf } from '../../gateway/cloud-api/exchange.ts';
import type { InboundMessage } from '../../gateway/cloud-api/wire.ts';

/** What a message holds that has no words of its own, in lines. */
const lines = (all: readonly (string | undefined)[]): string =>
  truncate(all.filter(Boolean).join('\n'), LONGEST.text);

/** A place: its name, its address and where it is. */
export function placeText(location: InboundMessage['location']): string {
  const place = location && `${location.latitude},${location.longitude}`;
  return lines([location?.name, location?.address, place]);
}

/** By what a person came to write: an ad or a post, or a product by the id that it has in the catalogue. */
export const leadText = ({ referral, context }: InboundMessage): string =>
  lines([
    referral?.headline,
    referral?.body,
    referral?.source_url,
    context?.referred_product?.product_retailer_id,
  ]);

/** Cards of somebody's address book: who they are, and their phones. */
export const cardsText = (cards: readonly ContactCard[] = []): string =>
  lines(
    cards.map(({ name, phones }) => {
      const numbers = phones.map(({ phone }) => phone).filter(Boolean);
      return [name?.formatted_name, numbers.join(', ')].filter(Boolean).join(': ');
    }),
  );

/** An order from the catalogue: the person's words, then each product by the id that it has in the catalogue. */
export const orderText = ({ text, product_items: items = [] }: Order = {}): string =>
  lines([
    text,
    ...items.map(({ product_retailer_id: id, quantity, item_price: price, currency = '' }) => {
      const many = quantity === undefined ? id : `${quantity} x ${id}`;
      return price === undefined ? many : `${many} (${`${price} ${currency}`.trim()})`;
    }),
  ]);

/** What was filled into a form within WhatsApp, or into its question for an address: each answer under its name. */
export function formText({ body, response_json: json }: FormReply = {}): string {
  return lines([body, ...(json === undefined ? [] : answersOf(jsonOf(json) ?? json))]);
}

/** Deeper than forms are; what strangers nest without a bottom must not exhaust the stack. */
const DEEPEST = 5;

/** The token is what the business sent along with the form. */
function answersOf(value: unknown, name = '', depth = 0): string[] {
  if (value === null || value === '' || name === 'flow_token' || depth > DEEPEST) return [];
  if (typeof value !== 'object') return [name === '' ? `${value}` : `${name}: ${value}`];
  return Object.entries(value).flatMap(([key, each]) =>
    answersOf(each, Array.isArray(value) ? name : key, depth + 1),
  );
}
