import { type Html, html } from '../../pages/html.ts';
import type { Language } from '../../pages/language.ts';
import { CAMPAIGNS } from '../campaigns/texts.ts';
import { lossText } from '../inbox/losses.ts';
import type { Page } from '../page.ts';
import { REMINDERS } from './texts.ts';

/** Why somebody got nothing, or what is not confirmed of them. */
export function reasonText(lang: Language, reason: string): Html | string {
  const { outcomes, exclusions } = CAMPAIGNS[lang];
  const known: Readonly<Record<string, string>> = {
    ...outcomes,
    ...exclusions,
    ...REMINDERS[lang].reasons,
  };
  return known[reason] ?? lossText(lang, { reason, message: reason });
}

/** How many of a run, for each reason; a missed run may have one without anybody. */
export const reasonsText = (
  { lang, format }: Page,
  reasons: Readonly<Record<string, number>>,
): Html =>
  html`${Object.entries(reasons).map(
    ([reason, count]) =>
      html`<div>${count > 0 ? `${format.number(count)} × ` : null}${reasonText(lang, reason)}</div>`,
  )}`;
