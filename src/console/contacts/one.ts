import { nameOfContact } from '../../contacts/names.ts';
import { getContact } from '../../contacts/service.ts';
import { listConversations } from '../../conversations/service.ts';
import { type Html, html } from '../../pages/html.ts';
import { knownFacts, linkButton } from '../../pages/parts.ts';
import { bar, crumbs } from '../frame/heading.ts';
import { atNewest } from '../inbox/address.ts';
import { numberNames } from '../inbox/numbers.ts';
import { type ConsolePage, idOf, type Page, wasRefused } from '../page.ts';
import { asShown } from '../parts/as-shown.ts';
import { form } from '../parts/form.ts';
import { EVERYBODY } from '../parts/listing.ts';
import { dealsSection } from '../pipelines/of-contact.ts';
import { remindersSection } from '../reminders/of-contact.ts';
import { REMINDERS } from '../reminders/texts.ts';
import { factsOf } from './facts.ts';
import { type Contact, marks } from './list.ts';
import { optIn, opting, optOut } from './opting.ts';
import { block, deletion, parting, unblock } from './removing.ts';
import { CONTACTS } from './texts.ts';
import { fields, keptOf, save } from './writing.ts';
import { write, writing } from './writing-to.ts';

export const contactPage: ConsolePage = {
  path: '/contacts/:id',
  id: 'con',
  permission: 'contacts.read',
  view: async (page) => {
    const texts = CONTACTS[page.lang];
    const contact = await getContact(page.ctx, idOf(page));
    const title = nameOfContact(contact);
    const again = wasRefused(page, 'save');
    const kept = keptOf(contact);
    return {
      title,
      content: html`${crumbs(page, ['/contacts', texts.nav])}
${bar(title, marks(page, contact))}
${knownFacts(await factsOf(page, contact))}
${await steps(page, contact)}
${await dealsSection(page, contact.id)}
${await remindersSection(page, contact.id)}
${page.may('conversations.read') ? await conversations(page) : null}
${
  page.may('contacts.write')
    ? html`<h2>${texts.change}</h2>${form(page, 'save', html`${asShown(page, kept, again)}${await fields(page, kept, again)}`)}`
    : null
}`,
    };
  },
  actions: {
    write,
    opt_out: optOut,
    opt_in: optIn,
    save,
    block,
    unblock,
    delete: deletion,
  },
};

/** What can be done for the contact, beside changing it. */
async function steps(page: Page, contact: Contact): Promise<Html | null> {
  const all = [
    page.may('conversations.reply') ? await writing(page, contact) : [],
    page.may('contacts.write') ? await opting(page, contact) : [],
    page.may('reminders.create')
      ? linkButton(
          `${page.base}/reminders/new?contact=${contact.id}`,
          REMINDERS[page.lang].create,
          true,
        )
      : [],
    parting(page, contact),
  ].flat();
  return all.length === 0 ? null : html`<div class="actions">${all}</div>`;
}

/** Conversations with this contact, one for each number, as far as the person sees them. */
async function conversations(page: Page): Promise<Html | null> {
  const filters = { contact_id: idOf(page), sort: 'last_message_at' as const };
  const { data } = await listConversations(page.ctx, filters, EVERYBODY);
  if (data.length === 0) return null;
  const numbers = await numberNames(page);
  return html`<h2>${CONTACTS[page.lang].conversations}</h2><ul>${data.map(
    ({ id, number_id: number, last_message_at: at, created_at: begun }) =>
      html`<li><a href="${page.base}${atNewest(id)}">${page.format.time(at ?? begun)}</a> ${numbers.get(number) ?? null}</li>`,
  )}</ul>`;
}
