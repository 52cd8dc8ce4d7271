import type { Framed } from '../../http/framed.ts';
import { showOwnPage } from '../../http/serving/page.ts';
import { document } from '../../pages/document.ts';
import { type Html, html } from '../../pages/html.ts';
import { languageOf } from '../../pages/language.ts';
import { notice } from '../../pages/parts.ts';
import { textsOf } from '../texts/texts.ts';

const ID = 'away';

const saying = (said: Html): Html => html`<div id="${ID}" role="status">${said}</div>`;

/** Where a page that refreshes itself says that its reader is signed out. Each answer for a part clears it. */
export const AWAY_PLACE = html`<div id="${ID}" role="status" hx-swap-oob="outerMorph"></div>`;

/** Answers what refreshes a part: that part stays, and so does what is being written beside it. */
export function sayAway(http: Framed, signInAt: string): void {
  const lang = languageOf(http.get('accept-language'));
  const { away, signIn } = textsOf(lang);
  const link = html`<a href="${signInAt}" target="_blank">${signIn}</a>`;
  const body = saying(notice(html`${away} ${link}`, 'warn'));
  http.set({ 'HX-Retarget': `#${ID}`, 'HX-Reselect': `#${ID}`, 'HX-Reswap': 'outerMorph' });
  showOwnPage(http, document({ lang, title: signIn, body }));
}
