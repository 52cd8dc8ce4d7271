import { restrictedMember } from '../../access/visibility.ts';
import { type Html, html } from '../../pages/html.ts';
import { notice } from '../../pages/parts.ts';
import { NUMBERS } from '../numbers/texts.ts';
import type { Page } from '../page.ts';

/** In place of a form that needs a number; the list of numbers says who connects one, or why none is seen. */
export function noNumber({ base, ctx, lang }: Page, text: string): Html {
  const texts = NUMBERS[lang];
  const why = restrictedMember(ctx.actor) ? texts.noneSeen : text;
  return notice(html`${why} <a href="${base}/numbers">${texts.nav}</a>`, 'warn');
}
