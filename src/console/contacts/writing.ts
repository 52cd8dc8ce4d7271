import { lockPerson } from '../../contacts/person.ts';
import { transact } from '../../db/transact.ts';
import { areaField, checkbox, selectField, textField } from '../../pages/fields.ts';
import { type Html, html } from '../../pages/html.ts';
import { call } from '../calling.ts';
import { crumbs } from '../frame/heading.ts';
import {
  type Action,
  type ConsolePage,
  type Done,
  field,
  idOf,
  type Page,
  wasRefused,
} from '../page.ts';
import { changedIn, linesOf, listAfter } from '../parts/as-shown.ts';
import { form } from '../parts/form.ts';
import { faultsIn } from '../parts/json-text.ts';
import { ownersFor } from '../parts/owners.ts';
import { customPatch, customText } from './custom.ts';
import type { Contact } from './list.ts';
import { CONTACT_PROBLEMS, phoneError } from './phone-error.ts';
import { CONTACTS } from './texts.ts';

const PLAIN = [
  'name',
  'phone',
  'email',
  'owner_id',
  'birth_date',
  'language',
  'time_zone',
  'notes',
] as const;
const YES = 'true';
/** Offered while somebody writes; the service takes every language. */
const LANGUAGES = ['pt-BR', 'en', 'es'];
type Values = Readonly<
  Record<(typeof PLAIN)[number] | 'birth_yearless' | 'tags' | 'custom', string>
>;

export async function fields(page: Page, kept: Values, again: boolean): Promise<Html> {
  const texts = CONTACTS[page.lang];
  const options = await ownersFor(page, kept.owner_id || null);
  const about = (name: keyof Values) => ({
    name,
    value: again ? field(page, name) : kept[name],
    error: page.problems.get(name),
  });
  return html`${textField({ ...about('name'), label: texts.name, maxLength: 200 })}
${textField({ ...about('phone'), error: phoneError(page), label: texts.phone, hint: texts.phoneHint, maxLength: 40 })}
${textField({ ...about('email'), label: texts.email, type: 'email', maxLength: 254 })}
${selectField({ ...about('owner_id'), label: texts.owner, options })}
${textField({ ...about('birth_date'), label: texts.birth, type: 'date' })}
${checkbox({ name: 'birth_yearless', value: YES, label: texts.yearless, hint: texts.yearlessHint, checked: about('birth_yearless').value === YES })}
${textField({ ...about('language'), label: texts.language, hint: texts.languageHint, suggestions: LANGUAGES, maxLength: 35 })}
${textField({ ...about('time_zone'), label: texts.timeZone, hint: texts.timeZoneHint, suggestions: Intl.supportedValuesOf('timeZone'), maxLength: 60 })}
${areaField({ ...about('tags'), label: texts.tags, hint: texts.tagsHint })}
${areaField({ ...about('custom'), error: faultsIn(page, 'custom'), label: texts.fields, hint: texts.fieldsHint })}
${areaField({ ...about('notes'), label: texts.notes })}<button>${texts.save}</button>`;
}

/** What the form shows, to which its action compares what was sent. */
export const keptOf = (contact: Contact): Values => ({
  name: contact.name,
  phone: contact.phone ?? '',
  email: contact.email ?? '',
  owner_id: contact.owner_id ?? '',
  birth_date: contact.birth_date ?? '',
  birth_yearless: contact.birth_year_known ? '' : YES,
  language: contact.language ?? '',
  time_zone: contact.time_zone ?? '',
  tags: contact.tags.join('\n'),
  custom: customText(contact.custom),
  notes: contact.notes,
});

const EMPTY: Values = {
  name: '',
  phone: '',
  email: '',
  owner_id: '',
  birth_date: '',
  birth_yearless: '',
  language: '',
  time_zone: '',
  tags: '',
  custom: '',
  notes: '',
};

export const newContactPage: ConsolePage = {
  path: '/contacts/new',
  permission: 'contacts.write',
  view: async (page) => {
    const texts = CONTACTS[page.lang];
    return {
      title: texts.create,
      content: html`${crumbs(page, ['/contacts', texts.nav])}
<h1>${texts.create}</h1>${form(page, 'create', await fields(page, EMPTY, wasRefused(page, 'create')))}`,
    };
  },
  actions: {
    create: {
      permission: 'contacts.write',
      once: true,
      problemsAt: CONTACT_PROBLEMS,
      run: async (page): Promise<Done> => {
        const given = PLAIN.flatMap((name) => {
          const value = field(page, name).trim();
          return value === '' ? [] : [[name, value] as const];
        });
        const tags = linesOf(field(page, 'tags'));
        const custom = customPatch(page);
        const birth_year_known = field(page, 'birth_yearless') !== YES;
        const body = {
          ...Object.fromEntries(given),
          birth_year_known,
          tags,
          ...(custom ? { custom } : {}),
        };
        const { id } = await call<{ id: string }>(page, 'create_contact', { body });
        return { to: `/contacts/${id}`, flash: { text: CONTACTS[page.lang].created } };
      },
    },
  },
};

/** Writes what was changed in the form. */
export const save: Action = {
  permission: 'contacts.write',
  problemsAt: CONTACT_PROBLEMS,
  run: async (page): Promise<Done> => {
    const id = idOf(page);
    await transact(page.ctx, async (tx) => {
      const stored = await lockPerson(tx, id);
      const tags = listAfter(page, 'tags', stored.tags);
      const custom = customPatch(page, stored.custom);
      const body = { ...patchOf(page), ...(tags ? { tags } : {}), ...(custom ? { custom } : {}) };
      const ctx = { ...tx, actor: page.ctx.actor };
      await call({ ...page, ctx }, 'update_contact', { id, body });
    });
    return { to: `/contacts/${id}`, flash: { text: CONTACTS[page.lang].saved } };
  },
};

/** The facts in which the person wrote; one that nobody changed may be no valid name. */
function patchOf(page: Page): Record<string, unknown> {
  const orNone = (name: keyof Values): string | null => field(page, name).trim() || null;
  const changed = changedIn(page, {
    name: field(page, 'name').trim(),
    phone: field(page, 'phone').trim(),
    email: orNone('email'),
    owner_id: orNone('owner_id'),
    birth_date: orNone('birth_date'),
    language: orNone('language'),
    time_zone: orNone('time_zone'),
    notes: field(page, 'notes'),
  });
  // A page opened before a field was added says nothing of it.
  const named = Object.entries(changed).filter(([name]) => page.sent.has(name));
  return { ...Object.fromEntries(named), ...yearOf(page) };
}

/** Whether the year is known is said with each change of the date, which alone would be taken for one with its year. */
function yearOf(page: Page): { birth_year_known?: boolean } {
  const date = field(page, 'birth_date');
  const yearless = field(page, 'birth_yearless');
  const changed = changedIn(page, { birth_date: date, birth_yearless: yearless });
  if (!page.sent.has('shown_birth_yearless') || Object.keys(changed).length === 0) return {};
  return { birth_year_known: yearless !== YES };
}
