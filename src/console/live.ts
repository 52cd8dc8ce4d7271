import { type Html, html } from '../pages/html.ts';
import type { Page } from './page.ts';

/** In the address of a part that asks for itself again: how the record stood when its page was made. */
const SEEN = 'seen';

interface Live {
  /** Of the element that has these attributes. */
  readonly id: string;
  readonly seconds: number;
  /** The `state` of the view; once it is another one, the whole page is loaded anew, for it has other buttons. */
  readonly state?: string;
}

/** What a page shall know of the address that was asked for, and the state that the browser shows. */
export function queryOf(text: string): { query: URLSearchParams; seen: string | null } {
  const query = new URLSearchParams(text);
  const seen = query.get(SEEN);
  query.delete(SEEN);
  return { query, seen };
}

/** The attributes of a part of the page that asks for itself again. Its view says `live`. */
export function asksAgain({ path, query, sent }: Page, { id, seconds, state }: Live): Html {
  const own = new URLSearchParams(query);
  // To load a page anew that shows a refused form would be to send the form again, or to lose what stands in it.
  if (state !== undefined && sent.size === 0) own.set(SEEN, state);
  const address = own.size === 0 ? path : `${path}?${own}`;
  return html` hx-get="${address}" hx-trigger="every ${seconds}s" hx-select="#${id}" hx-target="this" hx-swap="outerMorph"`;
}
