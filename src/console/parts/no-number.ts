import { type Html, html } from '../../pages/html.ts';
import { notice } from '../../pages/parts.ts';
import { NUMBERS } from '../numbers/texts.ts';
import type { Page } from '../page.ts';

/** In place of a form that needs a number; the list of numbers says who connects one. */
export const noNumber = ({ base, lang }: Page, text: string): Html =>
  notice(html`${text} <a href="${base}/numbers">${NUMBERS[lang].nav}</a>`, 'warn');
