import type { Framed } from '../../http/framed.ts';
import { showOwnPage } from '../../http/serving/page.ts';
import { document } from '../../pages/document.ts';
import { type Html, html } from '../../pages/html.ts';
import { languageOf } from '../../pages/language.ts';
import { notice } from '../../pages/parts.ts';
import type { Page } from '../page.ts';
import { textsOf } from '../texts/texts.ts';

const ID = 'away';

/** What a page that refreshes itself shows of an answer that is not for its parts. */
export const saying = (said: Html): Html => html`<div id="${ID}" role="status">${said}</div>`;

/**
 * Where such a page says that its reader is signed out, or why a form within a part was refused. Each answer for a part
 * clears it.
 */
export const sayingPlace = ({ seen, faults }: Pick<Page, 'seen' | 'faults'>): Html =>
  seen === null || faults.length === 0
    ? html`<div id="${ID}" role="status" hx-swap-oob="outerMorph"></div>`
    : saying(notice(html`${faults.map(({ text }) => html`<p>${text}</p>`)}`, 'bad'));

const THERE = `swap:outerMorph target:#${ID} select:#${ID}`;

/** Of a form within a part, whose refusal is said there: the part stays. */
export const REFUSED_THERE = html` hx-status:40x="${THERE}" hx-status:41x="${THERE}" hx-status:42x="${THERE}" hx-status:50x="${THERE}"`;

/** Answers what refreshes a part: that part stays, and so does what is being written beside it. */
export function sayAway(http: Framed, signInAt: string): void {
  const lang = languageOf(http.get('accept-language'));
  const { away, signIn } = textsOf(lang);
  const link = html`<a href="${signInAt}" target="_blank">${signIn}</a>`;
  const body = saying(notice(html`${away} ${link}`, 'warn'));
  http.set({ 'HX-Retarget': `#${ID}`, 'HX-Reselect': `#${ID}`, 'HX-Reswap': 'outerMorph' });
  showOwnPage(http, document({ lang, title: signIn, body }));
}
