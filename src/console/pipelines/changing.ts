import type { Context } from '../../context.ts';
import { transact } from '../../db/transact.ts';
import { validation } from '../../errors.ts';
import { numberOf } from '../../forms/answers.ts';
import { selectField, textField } from '../../pages/fields.ts';
import { type Html, html } from '../../pages/html.ts';
import { getDeal } from '../../pipelines/reading.ts';
import { call } from '../calling.ts';
import { type Action, type Done, field, idOf, type Page, wasRefused } from '../page.ts';
import { asShown, changedIn } from '../parts/as-shown.ts';
import { askFirst, type asSent, form } from '../parts/form.ts';
import { ownersFor } from '../parts/owners.ts';
import { PIPELINES } from './texts.ts';

type Deal = Awaited<ReturnType<typeof getDeal>>;

const MAX_VALUE = 1e12;

/** As people write it in the reader's language: 1,250.00 or 1.250,00. Throws 422 `validation` for anything else. */
export function centsIn(page: Page<Context>): number | null {
  const text = field(page, 'value_cents').trim();
  if (text === '') return null;
  const value = numberOf(text, page.lang !== 'en') ?? -1;
  const isCents = Number(value.toFixed(2)) === value;
  if (isCents && value >= 0 && value < MAX_VALUE) return Math.round(value * 100);
  const message = PIPELINES[page.lang].wrongValue;
  throw validation([{ path: 'value_cents', rule: 'amount', message }]);
}

export const currencyIn = (page: Page): string => field(page, 'currency').trim().toUpperCase();

/** The fields of a deal's value. */
export function worth(
  { lang }: Page,
  value: ReturnType<typeof asSent>,
  currency: ReturnType<typeof asSent>,
): Html {
  const texts = PIPELINES[lang];
  const suggestions = Intl.supportedValuesOf('currency');
  return html`${textField({ ...value, label: texts.amount, hint: texts.valueHint, maxLength: 20 })}
${textField({ ...currency, label: texts.currency, hint: texts.currencyHint, suggestions, maxLength: 10, required: true })}`;
}

/** The same the other way round, as the hint of the field writes it. */
const written = ({ lang }: Page, cents: number | null): string =>
  cents === null ? '' : (cents / 100).toFixed(2).replace('.', lang === 'en' ? '.' : ',');

/** What a deal is called, what it is worth and who has it, to be corrected; and taking it away. */
export async function changing(page: Page, deal: Deal): Promise<Html> {
  const texts = PIPELINES[page.lang];
  const again = wasRefused(page, 'change');
  const kept = {
    title: deal.title,
    value_cents: written(page, deal.value_cents),
    currency: deal.currency,
    owner_id: deal.owner_id ?? '',
  };
  const about = (name: keyof typeof kept) => ({
    name,
    value: again ? field(page, name) : kept[name],
    error: again ? page.problems.get(name) : undefined,
  });
  const { deleteDeal: label, deleteLead: lead } = texts;
  return html`<h2>${texts.changeDeal}</h2>${form(
    page,
    'change',
    html`${asShown(page, kept, again)}${textField({ ...about('title'), label: texts.title, maxLength: 120 })}
${worth(page, about('value_cents'), about('currency'))}
${selectField({ ...about('owner_id'), label: texts.owner, options: await ownersFor(page, deal.owner_id) })}
<button>${texts.saveDeal}</button>`,
  )}
<div class="actions">${askFirst(page, 'delete', { label, lead, danger: true })}</div>`;
}

/** Writes what was changed in the form. */
export const change: Action = {
  permission: 'pipelines.move',
  problemsAt: { unknown_member: 'owner_id' },
  run: async (page): Promise<Done> => {
    const { value_cents: amount, ...changed } = changedIn(page, {
      title: field(page, 'title').trim(),
      value_cents: true,
      currency: currencyIn(page),
      owner_id: field(page, 'owner_id') || null,
    });
    const body = { ...changed, ...(amount ? { value_cents: centsIn(page) } : {}) };
    await call(page, 'update_deal', { id: idOf(page), body });
    return { to: `/deals/${idOf(page)}`, flash: { text: PIPELINES[page.lang].dealSaved } };
  },
};

export const deletion: Action = {
  permission: 'pipelines.move',
  once: true,
  run: async (page): Promise<Done> => {
    const pipeline = await transact(page.ctx, async (tx) => {
      const ctx = { ...tx, actor: page.ctx.actor };
      const deal = await getDeal(ctx, idOf(page));
      await call({ ...page, ctx }, 'delete_deal', { id: idOf(page) });
      return deal.pipeline_id;
    });
    return { to: `/pipelines/${pipeline}`, flash: { text: PIPELINES[page.lang].dealDeleted } };
  },
};
