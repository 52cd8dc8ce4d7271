import { type Html, html } from '../../pages/html.ts';
import { linkButton } from '../../pages/parts.ts';
import { listReminders } from '../../reminders/reading.ts';
import type { Page } from '../page.ts';
import { REMINDERS } from './texts.ts';

/** More than these are on the list that the section leads to. */
const SHOWN = 10;

/** What the contact is still reminded of, the newest first, and a way to all of it; null for somebody who never was. */
export async function remindersSection(page: Page, contactId: string): Promise<Html | null> {
  if (!page.may('reminders.read')) return null;
  const of = (status: 'active' | undefined, limit: number) =>
    listReminders(page.ctx, { contact_id: contactId, status }, { limit, after: null });
  const { data } = await of('active', SHOWN);
  if (data.length === 0 && (await of(undefined, 1)).data.length === 0) return null;
  const { nav, all, repeats } = REMINDERS[page.lang];
  const address = `${page.base}/reminders`;
  return html`<h2>${nav}</h2>${
    data.length === 0
      ? null
      : html`<ul>${data.map(
          ({ id, title, repeat, next_run_at: next }) =>
            html`<li><a href="${address}/${id}">${title}</a> ${[repeats[repeat], next && page.format.time(next)].filter(Boolean).join(', ')}</li>`,
        )}</ul>`
  }<p>${linkButton(`${address}?contact_id=${contactId}`, `${nav}: ${all}`, true)}</p>`;
}
