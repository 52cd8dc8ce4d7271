import { consentOf } from '../../contacts/consent.ts';
import type { OptOutSource } from '../../contacts/opt-outs/list.ts';
import { getForm } from '../../forms/service.ts';
import type { Format } from '../../pages/format.ts';
import { type Html, html } from '../../pages/html.ts';
import type { Fact } from '../../pages/parts.ts';
import { staffOf } from '../inbox/participants.ts';
import type { Page } from '../page.ts';
import { textOf } from './custom.ts';
import { FACTS } from './facts-texts.ts';
import type { Contact } from './list.ts';
import { CONTACTS } from './texts.ts';

/** What is known of the contact, and what one decides by. */
export async function factsOf(page: Page, contact: Contact): Promise<Fact[]> {
  const { lang, format } = page;
  const texts = CONTACTS[lang];
  const facts = FACTS[lang];
  const {
    last_inbound_at: inbound,
    last_outbound_at: outbound,
    whatsapp_status: reached,
  } = contact;
  return [
    [texts.phone, contact.phone],
    [facts.whatsapp, reached === 'unknown' ? null : facts.onWhatsapp[reached]],
    [texts.email, contact.email],
    [texts.birth, birthOf(format, contact)],
    [texts.language, contact.language],
    [texts.timeZone, contact.time_zone],
    [texts.tags, contact.tags.join(', ')],
    [texts.owner, contact.owner_id && (await staffOf(page)).nameOf(contact.owner_id)],
    [facts.optedOut, optedOutOf(page, contact)],
    [facts.consent, await agreed(page, contact)],
    [facts.since, format.time(contact.created_at)],
    [facts.origin, facts.origins[contact.origin]],
    [facts.lastInbound, inbound && format.time(inbound)],
    [facts.lastOutbound, outbound && format.time(outbound)],
    ...Object.entries(contact.custom).map(([name, value]): Fact => [name, textOf(value)]),
    [texts.notes, contact.notes && html`<span class="written">${contact.notes}</span>`],
  ];
}

const birthOf = (
  format: Format,
  { birth_date: day, birth_year_known: known }: Contact,
): string | null => day && (known ? format.date(day) : format.birthday(day));

/** Since when, and how it was said: a word to us is more than WhatsApp's switch. */
function optedOutOf(
  { lang, format }: Page,
  { opted_out_at: at, opt_out_source: source }: Contact,
): string | null {
  const way = FACTS[lang].ways[source as OptOutSource];
  return at && [format.time(at), way].filter(Boolean).join(', ');
}

/** The exact words that the person agreed to, in which form and when. */
async function agreed(
  { ctx, lang, base, format, parts }: Page,
  { id }: Contact,
): Promise<Html | null> {
  const consent = await consentOf(ctx, id);
  if (!consent) return null;
  const { label, source, at } = consent;
  const { title, id: formId } = await getForm(ctx, source.replace(/^form:/, ''), parts.baseUrl);
  return html`<span class="written">${label}</span> <span class="soft">${FACTS[lang].inForm} <a href="${base}/forms/${formId}">${title}</a>, ${format.time(at)}</span>`;
}
