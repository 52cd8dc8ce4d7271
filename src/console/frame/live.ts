import { type Html, html } from '../../pages/html.ts';
import type { Page } from '../page.ts';

/** The query parameter with the record's state when the page was made. */
const SEEN = 'seen';

interface Live {
  /** The id of the element that has these attributes. */
  readonly id: string;
  readonly seconds: number;
  /** The view's `state`; once it differs, the whole page is reloaded, because it has other buttons. */
  readonly state?: string;
}

/** The page's own part of the query, and the state that the browser shows. */
export function queryOf(text: string): { query: URLSearchParams; seen: string | null } {
  const query = new URLSearchParams(text);
  const seen = query.get(SEEN);
  query.delete(SEEN);
  return { query, seen };
}

/** The attributes of a part of the page that refreshes itself. Its view sets `live`. */
export function asksAgain({ path, query, sent }: Page, { id, seconds, state }: Live): Html {
  const own = new URLSearchParams(query);
  // Reloading a page with a refused form would send the form again, or lose its content.
  if (state !== undefined && sent.size === 0) own.set(SEEN, state);
  const address = own.size === 0 ? path : `${path}?${own}`;
  return html` hx-get="${address}" hx-trigger="every ${seconds}s" hx-select="#${id}" hx-target="this" hx-swap="outerMorph"`;
}
