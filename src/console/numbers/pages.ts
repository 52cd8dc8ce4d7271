import { listNumbers } from '../../numbers/reading.ts';
import { hidden, textField } from '../../pages/fields.ts';
import { type Html, html } from '../../pages/html.ts';
import { badge, disclosure, named } from '../../pages/parts.ts';
import { call } from '../calling.ts';
import { type ConsolePage, type Done, field, type Page, wasRefused } from '../page.ts';
import { form } from '../parts/form.ts';
import { listed, pageAfter } from '../parts/listing.ts';
import { NUMBERS } from './texts.ts';

type WhatsAppNumber = Awaited<ReturnType<typeof listNumbers>>['data'][number];

/** The workspace's numbers and their state. Connecting them is up to the operator. */
const numbersPage: ConsolePage = {
  path: '/numbers',
  permission: 'numbers.read',
  nav: { group: 'workspace', name: (lang) => NUMBERS[lang].nav },
  view: async (page) => {
    const texts = NUMBERS[page.lang];
    const { data, next } = await listNumbers(page.ctx, pageAfter(page, 'num'));
    return {
      title: texts.nav,
      content: html`<h1>${texts.nav}</h1>
${listed(
  page,
  texts,
  data.map((one) => [
    html`${one.name}${page.may('numbers.manage') ? naming(page, one) : null}`,
    one.phone,
    badge(texts.statuses[one.status], one.status === 'connected' ? 'good' : 'warn'),
    page.format.time(one.status_changed_at),
  ]),
  next,
)}${data.length === 0 ? html`<p class="soft">${texts.whoConnects}</p>` : null}`,
    };
  },
  actions: {
    name: {
      permission: 'numbers.manage',
      run: async (page): Promise<Done> => {
        const body = { name: field(page, 'name') };
        await call(page, 'update_number', { id: field(page, 'id'), body });
        return { to: '/numbers', flash: { text: NUMBERS[page.lang].named } };
      },
    },
  },
};

function naming(page: Page, { id, name }: WhatsAppNumber): Html {
  const texts = NUMBERS[page.lang];
  const refused = wasRefused(page, 'name', id);
  const control = textField({
    name: 'name',
    within: id,
    label: texts.name,
    value: refused ? field(page, 'name') : name,
    error: refused ? page.problems.get('name') : undefined,
    maxLength: 60,
    required: true,
  });
  const content = html`${hidden('id', id)}${control}<button>${texts.save}</button>`;
  return disclosure(named(texts.rename, name), form(page, 'name', content), { open: refused });
}

export const numberPages: readonly ConsolePage[] = [numbersPage];
