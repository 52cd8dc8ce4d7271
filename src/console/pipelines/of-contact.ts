import { type Html, html } from '../../pages/html.ts';
import { badge, type Fact } from '../../pages/parts.ts';
import { dealsOfContact } from '../../pipelines/reading.ts';
import type { Page } from '../page.ts';
import { EVERYBODY } from '../parts/listing.ts';
import { amountOf } from './board.ts';
import { PIPELINES } from './texts.ts';

/** The deals of a contact that the person may see, each with a link, where it stands, and what it is worth. */
async function dealsOf(page: Page, contactId: string) {
  if (!page.may('pipelines.read')) return [];
  const deals = await dealsOfContact(page.ctx, contactId, EVERYBODY.limit);
  return deals.map((deal) => {
    const { id, title, status, stage, pipeline } = deal;
    const kind = status === 'open' ? null : html` ${badge(PIPELINES[page.lang].kinds[status])}`;
    const about = [`${pipeline}: ${stage}`, amountOf(page, deal)].filter(Boolean).join(', ');
    const shown = html`<a href="${page.base}/deals/${id}">${title || '—'}</a> ${about}${kind}`;
    return { status, shown };
  });
}

/** All of them, open ones first; null if there is none. */
export async function dealsSection(page: Page, contactId: string): Promise<Html | null> {
  const deals = await dealsOf(page, contactId);
  if (deals.length === 0) return null;
  return html`<h2>${PIPELINES[page.lang].deals}</h2><ul>${deals.map(({ shown }) => html`<li>${shown}</li>`)}</ul>`;
}

/** The open ones, as a fact of a conversation with the contact. */
export async function dealsFact(page: Page, contactId: string | null): Promise<Fact> {
  const deals = contactId === null ? [] : await dealsOf(page, contactId);
  const open = deals.filter(({ status }) => status === 'open');
  const lines = open.map(({ shown }, i) => html`${i > 0 ? html`<br>` : null}${shown}`);
  return [PIPELINES[page.lang].deals, lines.length === 0 ? null : html`${lines}`];
}
