import { nameOfContact } from '../../contacts/names.ts';
import { type getContact, listContacts } from '../../contacts/service.ts';
import { textField } from '../../pages/fields.ts';
import { type Html, html } from '../../pages/html.ts';
import { badge, linkButton, table } from '../../pages/parts.ts';
import { bar, toNew } from '../frame/heading.ts';
import type { ConsolePage, Page } from '../page.ts';
import { MAX_SEARCH } from '../parts/contact-choice.ts';
import { following, pageAfter } from '../parts/listing.ts';
import { CONTACTS } from './texts.ts';

export type Contact = Awaited<ReturnType<typeof getContact>>;

export const contactsPage: ConsolePage = {
  path: '/contacts',
  permission: 'contacts.read',
  nav: { group: 'work', name: (lang) => CONTACTS[lang].nav },
  view: async (page) => {
    const texts = CONTACTS[page.lang];
    const q = (page.query.get('q') ?? '').trim().slice(0, MAX_SEARCH);
    const filters = q === '' ? {} : { q };
    const { data, next } = await listContacts(page.ctx, filters, pageAfter(page, 'con'));
    const imports = linkButton(`${page.base}/contacts/imports`, texts.imports, true);
    const file = page.may('contacts.export')
      ? linkButton(`${page.path}.csv`, texts.csv, true)
      : null;
    const rows = data.map((one) => [
      html`<a href="${page.base}/contacts/${one.id}">${nameOfContact(one)}</a> ${marks(page, one)}`,
      one.phone,
      one.email,
      one.tags.join(', '),
    ]);
    return {
      title: texts.nav,
      content: html`${bar(texts.nav, [file, imports, toNew(page, 'contacts.write', texts.create)])}
<form class="inline search" method="get" action="${page.path}" role="search">${textField({
        name: 'q',
        type: 'search',
        label: texts.searchLabel,
        value: q,
        maxLength: MAX_SEARCH,
      })}<button class="quiet">${texts.search}</button> ${
        q === '' ? null : linkButton(page.path, texts.everybody, true)
      }</form>
${table({ caption: texts.nav, columns: texts.columns, none: texts.none, rows })}
${following(page, next)}`,
    };
  },
};

export const marks = ({ lang }: Page, { opted_out: out, blocked }: Contact): (Html | null)[] => [
  out ? badge(CONTACTS[lang].optedOut, 'warn') : null,
  blocked ? badge(CONTACTS[lang].blocked, 'bad') : null,
];
