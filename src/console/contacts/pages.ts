import { lockPerson } from '../../contacts/person.ts';
import { getContact, listContacts } from '../../contacts/service.ts';
import { listConversations } from '../../conversations/service.ts';
import { transact } from '../../db/transact.ts';
import { areaField, textField } from '../../pages/fields.ts';
import { type Html, html } from '../../pages/html.ts';
import { badge, definitions, linkButton, table } from '../../pages/parts.ts';
import { call } from '../calling.ts';
import { bar, crumbs, toNew } from '../frame/heading.ts';
import { numberNames } from '../inbox/numbers.ts';
import { type ConsolePage, type Done, field, idOf, type Page, wasRefused } from '../page.ts';
import { asShown, changedIn, linesOf, listAfter } from '../parts/as-shown.ts';
import { form } from '../parts/form.ts';
import { following, pageAfter } from '../parts/listing.ts';
import { REMINDERS } from '../reminders/texts.ts';
import { importPage, importsPage } from './imports.ts';
import { optIn, optingIn } from './opting-in.ts';
import { CONTACTS } from './texts.ts';
import { write, writing } from './writing-to.ts';

type Contact = Awaited<ReturnType<typeof getContact>>;

/** The longest search text that the API accepts. */
const MAX_SEARCH = 100;

const contactsPage: ConsolePage = {
  path: '/contacts',
  permission: 'contacts.read',
  nav: { group: 'work', name: (lang) => CONTACTS[lang].nav },
  view: async (page) => {
    const texts = CONTACTS[page.lang];
    const q = (page.query.get('q') ?? '').trim().slice(0, MAX_SEARCH);
    const filters = q === '' ? {} : { q };
    const { data, next } = await listContacts(page.ctx, filters, pageAfter(page, 'con'));
    const imports = linkButton(`${page.base}/contacts/imports`, texts.imports, true);
    const rows = data.map((one) => [
      html`<a href="${page.base}/contacts/${one.id}">${titleOf(one)}</a> ${marks(page, one)}`,
      one.phone,
      one.email,
      one.tags.join(', '),
    ]);
    return {
      title: texts.nav,
      content: html`${bar(texts.nav, [imports, toNew(page, 'contacts.write', texts.create)])}
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

const titleOf = ({ name, phone, email }: Contact): string => name || phone || email || '—';

const marks = ({ lang }: Page, { opted_out: out, blocked }: Contact): (Html | null)[] => [
  out ? badge(CONTACTS[lang].optedOut, 'warn') : null,
  blocked ? badge(CONTACTS[lang].blocked, 'bad') : null,
];

const FIELDS = ['name', 'phone', 'email', 'tags', 'notes'] as const;
type Values = Readonly<Record<(typeof FIELDS)[number], string>>;

function fields(page: Page, kept: Values, again: boolean): Html {
  const texts = CONTACTS[page.lang];
  const about = (name: keyof Values) => ({
    name,
    value: again ? field(page, name) : kept[name],
    // A problem with a tag is reported by its position: `tags[2]`.
    error: [...page.problems].find(([path]) => path === name || path.startsWith(`${name}[`))?.[1],
  });
  return html`${textField({ ...about('name'), label: texts.name, maxLength: 200 })}
${textField({ ...about('phone'), label: texts.phone, hint: texts.phoneHint, maxLength: 40 })}
${textField({ ...about('email'), label: texts.email, type: 'email', maxLength: 254 })}
${areaField({ ...about('tags'), label: texts.tags, hint: texts.tagsHint })}
${areaField({ ...about('notes'), label: texts.notes })}<button>${texts.save}</button>`;
}

const EMPTY = { name: '', phone: '', email: '', tags: '', notes: '' };

const newContactPage: ConsolePage = {
  path: '/contacts/new',
  permission: 'contacts.write',
  view: async (page) => {
    const texts = CONTACTS[page.lang];
    return {
      title: texts.create,
      content: html`${crumbs(page, ['/contacts', texts.nav])}
<h1>${texts.create}</h1>${form(page, 'create', fields(page, EMPTY, wasRefused(page, 'create')))}`,
    };
  },
  actions: {
    create: {
      permission: 'contacts.write',
      once: true,
      run: async (page): Promise<Done> => {
        const given = (['name', 'phone', 'email', 'notes'] as const).flatMap((name) => {
          const value = field(page, name).trim();
          return value === '' ? [] : [[name, value] as const];
        });
        const body = { ...Object.fromEntries(given), tags: linesOf(field(page, 'tags')) };
        const { id } = await call<{ id: string }>(page, 'create_contact', { body });
        return { to: `/contacts/${id}`, flash: { text: CONTACTS[page.lang].created } };
      },
    },
  },
};

const contactPage: ConsolePage = {
  path: '/contacts/:id',
  id: 'con',
  permission: 'contacts.read',
  view: async (page) => {
    const texts = CONTACTS[page.lang];
    const contact = await getContact(page.ctx, idOf(page));
    const title = titleOf(contact);
    const again = wasRefused(page, 'save');
    const kept = {
      name: contact.name,
      phone: contact.phone ?? '',
      email: contact.email ?? '',
      tags: contact.tags.join('\n'),
      notes: contact.notes,
    };
    return {
      title,
      content: html`${crumbs(page, ['/contacts', texts.nav])}
${bar(title, marks(page, contact))}
${definitions(factsOf(page, contact))}
${await steps(page, contact)}
${page.may('conversations.read') ? await conversations(page) : null}
${
  page.may('contacts.write')
    ? html`<h2>${texts.change}</h2>${form(page, 'save', html`${asShown(page, kept, again)}${fields(page, kept, again)}`)}`
    : null
}`,
    };
  },
  actions: {
    write,
    opt_in: optIn,
    save: {
      permission: 'contacts.write',
      run: async (page): Promise<Done> => {
        const id = idOf(page);
        await transact(page.ctx, async (tx) => {
          const { tags } = await lockPerson(tx, id);
          const changed = listAfter(page, 'tags', tags);
          const body = { ...patchOf(page), ...(changed ? { tags: changed } : {}) };
          const ctx = { ...tx, actor: page.ctx.actor };
          await call({ ...page, ctx }, 'update_contact', { id, body });
        });
        return { to: `/contacts/${id}`, flash: { text: CONTACTS[page.lang].saved } };
      },
    },
  },
};

/** What can be done for the contact, beside changing it. */
async function steps(page: Page, contact: Contact): Promise<Html | null> {
  const all = [
    page.may('conversations.reply') ? await writing(page, contact) : [],
    contact.opted_out && page.may('contacts.write') ? await optingIn(page) : [],
    page.may('reminders.create')
      ? linkButton(
          `${page.base}/reminders/new?contact=${contact.id}`,
          REMINDERS[page.lang].create,
          true,
        )
      : [],
  ].flat();
  return all.length === 0 ? null : html`<div class="actions">${all}</div>`;
}

/** The facts in which the person wrote; one that nobody changed may be no valid name. */
function patchOf(page: Page): Record<string, unknown> {
  const email = field(page, 'email').trim();
  return changedIn(page, {
    name: field(page, 'name').trim(),
    phone: field(page, 'phone').trim(),
    email: email === '' ? null : email,
    notes: field(page, 'notes').replaceAll('\r\n', '\n'),
  });
}

function factsOf({ lang, format }: Page, contact: Contact): [string, Html | string][] {
  const texts = CONTACTS[lang];
  const custom = Object.entries(contact.custom).map(([name, value]): [string, string] => [
    name,
    Array.isArray(value) ? value.join(', ') : String(value),
  ]);
  const times: [string, string | null][] = [
    [texts.since, contact.created_at],
    [texts.lastInbound, contact.last_inbound_at],
    [texts.lastOutbound, contact.last_outbound_at],
  ];
  return [
    ...(contact.phone ? [[texts.phone, contact.phone] as [string, string]] : []),
    ...(contact.email ? [[texts.email, contact.email] as [string, string]] : []),
    ...(contact.tags.length > 0 ? [[texts.tags, contact.tags.join(', ')] as [string, string]] : []),
    ...times.flatMap(([name, at]): [string, string][] => (at ? [[name, format.time(at)]] : [])),
    ...custom,
  ];
}

/** Conversations with this contact, as far as the person sees them. */
async function conversations(page: Page): Promise<Html | null> {
  const filters = { contact_id: idOf(page), sort: 'last_message_at' as const };
  const { data } = await listConversations(page.ctx, filters, { limit: 10, after: null });
  if (data.length === 0) return null;
  const numbers = await numberNames(page);
  return html`<h2>${CONTACTS[page.lang].conversations}</h2><ul>${data.map(
    ({ id, number_id: number, last_message_at: at, created_at: begun }) =>
      html`<li><a href="${page.base}/inbox/${id}">${page.format.time(at ?? begun)}</a> ${numbers.get(number) ?? null}</li>`,
  )}</ul>`;
}

export const contactPages: readonly ConsolePage[] = [
  contactsPage,
  newContactPage,
  importsPage,
  importPage,
  contactPage,
];
