import { AppError, type FieldProblem } from '../../errors.ts';
import { hidden, textField } from '../../pages/fields.ts';
import { type Html, html } from '../../pages/html.ts';
import { disclosure } from '../../pages/parts.ts';
import { ask } from '../calling.ts';
import type { Page } from '../page.ts';
import { oneOf } from '../parts/listing.ts';
import { problemText } from '../texts/refusals.ts';
import { REPORTS, SPANS } from './texts.ts';

const isCustom = ({ query }: Page): boolean => query.get('period') === 'custom';

/** The query of the report's operation. Dates count only for own ones: others may still stand in the address. */
function asked(page: Page): Record<string, string> {
  if (!isCustom(page)) return { period: oneOf(page, 'period', SPANS) ?? USUAL };
  const dates = ['from', 'to'].map((name) => [name, page.query.get(name) ?? '']);
  return { period: 'custom', ...Object.fromEntries(dates.filter(([, date]) => date !== '')) };
}

const USUAL = '30d';

export interface Reported<T> {
  /** None for days that cannot be reported on: other days would be taken for them. */
  readonly report: T | null;
  /** What is wrong with own dates. */
  readonly problems: readonly FieldProblem[];
}

/** @param T the operation's `reply` */
export async function reportOf<T>(page: Page, operation: string): Promise<Reported<T>> {
  try {
    return { report: await ask<T>(page, operation, { query: asked(page) }), problems: [] };
  } catch (error) {
    if (!(error instanceof AppError) || !Array.isArray(error.details)) throw error;
    return { report: null, problems: error.details };
  }
}

function wordsFor({ lang, query }: Page, problem: FieldProblem): string {
  if (problem.rule !== 'range') return problemText(lang, problem);
  const { backwards, future, long } = REPORTS[lang].badDates;
  if (problem.path === 'from') return long;
  return (query.get('from') ?? '') > (query.get('to') ?? '') ? backwards : future;
}

/**
 * A form for two dates.
 *
 * @param shown those that the page shows, with which it begins
 */
export function ownDates(
  page: Page,
  shown: Readonly<Record<'from' | 'to', string>> | null,
  problems: readonly FieldProblem[],
): Html {
  const texts = REPORTS[page.lang];
  const dateField = (name: 'from' | 'to', hint?: string): Html => {
    const problem = problems.find(({ path }) => path === name);
    return textField({
      name,
      type: 'date',
      label: texts[name],
      required: true,
      ...(hint ? { hint } : {}),
      value: shown ? shown[name] : (page.query.get(name) ?? ''),
      error: problem && wordsFor(page, problem),
    });
  };
  const fields = html`${hidden('period', 'custom')}${dateField('from')}${dateField('to', texts.datesHint)}<button class="quiet">${texts.show}</button>`;
  const form = html`<form method="get" action="${page.path}">${fields}</form>`;
  return disclosure(texts.dates, form, { open: isCustom(page) });
}
