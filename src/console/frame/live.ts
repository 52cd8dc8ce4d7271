import { type Html, html } from '../../pages/html.ts';
import type { Page } from '../page.ts';
import { REFUSED_THERE } from './away.ts';

/** The query parameter with the record's state when the page was made. */
const SEEN = 'seen';
/** What each form of an open disclosure adds to the question: see `form`. */
const OPEN_FORM = 'action';

interface Part {
  /** The id of the element that has these attributes, or in which the form stands. */
  readonly id: string;
  /** The view's `state`; once it differs, the whole page is reloaded, because it has other buttons. */
  readonly state?: string;
}

/** The page's own part of the query, and what the browser shows. */
export function queryOf(text: string): Pick<Page, 'query' | 'seen' | 'hasOpenForm'> {
  const query = new URLSearchParams(text);
  const seen = query.get(SEEN);
  const hasOpenForm = seen !== null && query.has(OPEN_FORM);
  query.delete(SEEN);
  if (hasOpenForm) query.delete(OPEN_FORM);
  return { query, seen, hasOpenForm };
}

/** The attributes of a part of the page that refreshes itself. Its view sets `live`. */
export const asksAgain = (page: Page, part: Part & { readonly seconds: number }): Html =>
  html` hx-get="${addressOf(page, part)}" hx-trigger="every ${part.seconds}s" hx-select="#${part.id}" hx-target="this" hx-swap="outerMorph"`;

/** More of them, for a page on which somebody may be writing in a disclosure: `page.hasOpenForm` then says so. */
export const TELLS_OPEN_FORMS = html` hx-include="main details[open] [name=${OPEN_FORM}]"`;

/**
 * The attributes of a form in such a part, which its answer replaces: what is being written beside the part stays. The
 * action then has `page.seen` and answers the page; without a script the form is an ordinary one.
 */
export const answersIn = (page: Page, part: Part): Html =>
  html` hx-post="${addressOf(page, part)}" hx-select="#${part.id}" hx-target="#${part.id}" hx-swap="outerMorph"${REFUSED_THERE}`;

function addressOf({ path, query, sent, seen }: Page, { state }: Part): string {
  const own = new URLSearchParams(query);
  // Reloading a page with a refused form would send the form again, or lose its content.
  const isFollowed = seen === null ? sent.size === 0 : seen !== '';
  if (state !== undefined) own.set(SEEN, isFollowed ? state : '');
  return own.size === 0 ? path : `${path}?${own}`;
}
