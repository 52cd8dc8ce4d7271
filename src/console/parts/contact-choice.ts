import { contactNames, type NamedContact } from '../../contacts/names.ts';
import { listContacts } from '../../contacts/service.ts';
import type { FormBody } from '../../http/body/form.ts';
import { checkboxes, fieldsPlace, radios, textField } from '../../pages/fields.ts';
import { type Html, html } from '../../pages/html.ts';
import type { Dictionary } from '../../pages/language.ts';
import { notice } from '../../pages/parts.ts';
import { type Action, allOf, field, type Page } from '../page.ts';

interface Texts {
  readonly search: string;
  readonly hint: string;
  readonly find: string;
  readonly one: string;
  readonly many: string;
  readonly none: string;
  readonly more: string;
}

const CHOICE: Dictionary<Texts> = {
  en: {
    search: 'Search for a contact',
    hint: 'By name, phone or e-mail.',
    find: 'Search',
    one: 'Contact',
    many: 'Contacts',
    none: 'No one was found.',
    more: 'More were found than are shown here. Write more of the name, the phone or the e-mail.',
  },
  'pt-BR': {
    search: 'Procurar um contato',
    hint: 'Por nome, telefone ou e-mail.',
    find: 'Procurar',
    one: 'Contato',
    many: 'Contatos',
    none: 'Ninguém foi encontrado.',
    more: 'Há mais do que se mostra aqui. Escreva mais do nome, do telefone ou do e-mail.',
  },
};

const FOUND = 20;
/** The longest search text that the API accepts. */
export const MAX_SEARCH = 100;

/** Shows the page again, with the contacts that the search found. */
export const find: Action = { permission: 'contacts.read', run: async () => ({ answer: null }) };

/**
 * Which action a form means. Enter sends it as its own button would, whatever comes first in it; with something new in
 * the search box it is a search.
 */
export function actionOf(sent: FormBody): string {
  const searched = sent.get(ENTER)?.[0];
  const q = textSearched({ sent });
  if (searched !== undefined && q !== '' && q !== searched) return 'find';
  // In a form with two buttons, the pressed one adds its own action after the form's.
  return allOf({ sent }, 'action').at(-1) ?? '';
}

/** The field of the button that Enter presses: what was searched for last. */
const ENTER = 'enter';

const textSearched = (page: Pick<Page, 'sent'>): string =>
  field(page, 'q').trim().slice(0, MAX_SEARCH);

interface Choice {
  /** One contact, in the field `contact_id`; or several, in the field `contact_ids`. */
  readonly type: 'radio' | 'checkbox';
  /** Who was chosen before anything was sent. */
  readonly kept?: readonly string[];
  /** Who is not to be chosen: the contact that the page is about. */
  readonly without?: string;
  readonly error?: string | undefined;
}

/**
 * A search and its results to choose from; those already chosen stay while searching on. Works without a script; the
 * page needs the action `find` from this file.
 */
export async function contactChoice(
  page: Page,
  { type, kept = [], without = '', error }: Choice,
): Promise<Html> {
  const texts = CHOICE[page.lang];
  const name = type === 'radio' ? 'contact_id' : 'contact_ids';
  const chosen = page.sent.size > 0 ? allOf(page, name) : kept;
  const q = textSearched(page);
  const names = await contactNames(page.ctx, [...new Set(chosen)]);
  const { data, next } = await foundBy(page, q);
  const found = data.filter(({ id }) => id !== without);
  const known = new Map([...names].map(([id, one]) => [id, labelOf(one)]));
  for (const one of found) known.set(one.id, labelOf(one));
  known.delete(without);
  const choices = [...known].map(([value, label]) => ({ value, label }));
  const group = type === 'radio' ? radios : checkboxes;
  const label = type === 'radio' ? texts.one : texts.many;
  const list = choices.length > 0 ? group({ name, label, choices, chosen, error }) : null;
  const search = { name: 'q', type: 'search', label: texts.search, hint: texts.hint } as const;
  // The problem summary links here, even while there is no one to choose yet.
  const place = list ? null : fieldsPlace(name, label);
  // A browser presses the first button of a form on Enter, which would be the search. What is missing the service says.
  const enter = html`<button class="unseen" name="${ENTER}" value="${q}" tabindex="-1" aria-hidden="true" formnovalidate></button>`;
  return html`<div${place}>${enter}${textField({ ...search, value: q, maxLength: MAX_SEARCH, autofocus: wasSearched(page), error: list ? undefined : error })}
<p><button class="quiet" name="action" value="find" formnovalidate>${texts.find}</button></p>
${next ? notice(texts.more, 'warn') : null}${q !== '' && found.length === 0 ? notice(texts.none, 'plain') : null}</div>${list}`;
}

/** The keyboard then goes on in the search box, not at the top of the page. */
const wasSearched = ({ sent, problems }: Page): boolean =>
  actionOf(sent) === 'find' && problems.size === 0;

const foundBy = async ({ ctx }: Page, q: string) =>
  q === '' ? { data: [], next: null } : listContacts(ctx, { q }, { limit: FOUND, after: null });

const labelOf = ({ name, phone, email }: NamedContact): string =>
  [name, phone, email].filter(Boolean).join(', ') || '—';
