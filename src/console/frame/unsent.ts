import { readFileSync } from 'node:fs';
import { createAsset } from '../../pages/assets.ts';
import { type Html, html } from '../../pages/html.ts';
import { field, type Page } from '../page.ts';
import { textsOf } from '../texts/texts.ts';

/** Keeps what is written in a page's forms while the page is away. */
export const UNSENT_SCRIPT = createAsset(
  'unsent.js',
  'text/javascript; charset=utf-8',
  readFileSync(new URL('unsent.js', import.meta.url), 'utf8'),
);

/** Where the script says that it wrote something again. A live region is read out when its content changes. */
export function unsentPlace({ lang, ctx }: Page): Html {
  const { unsent, discard } = textsOf(lang);
  return html`<div id="unsent" aria-live="polite" data-reader="${ctx.actor.id}"><template><div class="notice">${unsent} <button class="link" type="button">${discard}</button></div></template></div>`;
}

/** Of a form that shows what was sent in it, if it is of the record that is named: all of that is its writer's. */
export const shownAsSent = ({ sent }: Pick<Page, 'sent'>, action: string): Html | null =>
  sent.get('action')?.includes(action) ? html` data-sent="${field({ sent }, 'id')}"` : null;
