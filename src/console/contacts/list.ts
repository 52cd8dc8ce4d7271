import { nameOfContact } from '../../contacts/names.ts';
import { tagOf } from '../../contacts/rules.ts';
import { type getContact, listContacts } from '../../contacts/service.ts';
import { listMembers } from '../../members/reading.ts';
import { selectField, textField } from '../../pages/fields.ts';
import { type Html, html } from '../../pages/html.ts';
import { badge, disclosure, linkButton, table } from '../../pages/parts.ts';
import { bar, toNew } from '../frame/heading.ts';
import type { ConsolePage, Page } from '../page.ts';
import { MAX_SEARCH } from '../parts/contact-choice.ts';
import { EVERYBODY, following, oneOf, pageAfter, searched, searchForm } from '../parts/listing.ts';
import { LIST } from './list-texts.ts';
import { CONTACTS } from './texts.ts';

export type Contact = Awaited<ReturnType<typeof getContact>>;

export const contactsPage: ConsolePage = {
  path: '/contacts',
  permission: 'contacts.read',
  nav: { group: 'work', name: (lang) => CONTACTS[lang].nav },
  view: async (page) => {
    const texts = CONTACTS[page.lang];
    const members = (await listMembers(page.ctx, EVERYBODY)).data;
    const filters = filtersOf(page, members);
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
${searching(page, filters, members)}
${table({ caption: texts.nav, columns: texts.columns, none: texts.none, rows })}
${following(page, next)}`,
    };
  },
};

const WISHES = ['true', 'false'] as const;
/** Of the API. */
const MAX_TAG = 60;

type Filters = Parameters<typeof listContacts>[1];
type Members = Awaited<ReturnType<typeof listMembers>>['data'];

/** What the list is narrowed to; by the names that the API has for it. */
function filtersOf(page: Page, members: Members): Filters {
  const out = oneOf(page, 'opted_out', WISHES);
  return {
    q: searched(page, 'q', MAX_SEARCH),
    tag: tagOf(page.query.get('tag') ?? '').slice(0, MAX_TAG) || undefined,
    owner_id: oneOf(
      page,
      'owner_id',
      members.map(({ id }) => id),
    ),
    opted_out: out && out === 'true',
  };
}

/** One form, so that whoever searches stays within the filters. */
function searching(page: Page, filters: Filters, members: Members): Html {
  const texts = LIST[page.lang];
  const { q = '', ...narrowing } = filters;
  const isNarrowed = Object.values(narrowing).some((value) => value !== undefined);
  const search = textField({
    name: 'q',
    type: 'search',
    label: texts.searchLabel,
    maxLength: MAX_SEARCH,
    value: q,
  });
  const everybody = q === '' && !isNarrowed ? null : linkButton(page.path, texts.everybody, true);
  const more = disclosure(texts.more, narrower(page, narrowing, members), { open: isNarrowed });
  const below = html`<div class="actions">${everybody}${more}</div>`;
  return searchForm(page, search, texts.search, below);
}

function narrower(
  page: Page,
  { tag = '', owner_id: owner = '', opted_out: out }: Filters,
  members: Members,
): Html {
  const texts = LIST[page.lang];
  const all = { value: '', label: texts.anybody };
  const owners = [all, ...members.map(({ id, name }) => ({ value: id, label: name }))];
  const wishes = [all, ...WISHES.map((value) => ({ value, label: texts.wish[value] }))];
  return html`${textField({ name: 'tag', label: texts.tag, value: tag, maxLength: MAX_TAG })}
${selectField({ name: 'owner_id', label: CONTACTS[page.lang].owner, value: owner, options: owners })}
${selectField({ name: 'opted_out', label: texts.wishes, value: String(out ?? ''), options: wishes })}
<button class="quiet">${texts.filter}</button>`;
}

export const marks = ({ lang }: Page, { opted_out: out, blocked }: Contact): (Html | null)[] => [
  out ? badge(CONTACTS[lang].optedOut, 'warn') : null,
  blocked ? badge(CONTACTS[lang].blocked, 'bad') : null,
];
