import { type Html, html } from '../../pages/html.ts';
import { linkButton } from '../../pages/parts.ts';
import { call } from '../calling.ts';
import { type Action, idOf, type Page } from '../page.ts';
import { askFirst, form } from '../parts/form.ts';
import type { Contact } from './list.ts';
import { PARTING } from './parting-texts.ts';

/** For good, by the operation of the API, which knows what else speaks of the person. */
export const deletion: Action = {
  permission: 'contacts.delete',
  once: true,
  run: async (page) => {
    await call(page, 'delete_contact', { id: idOf(page) });
    return { to: '/contacts', flash: { text: PARTING[page.lang].deleted } };
  },
};

const blocking = (blocked: boolean): Action => ({
  permission: 'contacts.write',
  run: async (page) => {
    const id = idOf(page);
    const { blockedNow, unblocked } = PARTING[page.lang];
    await call(page, 'update_contact', { id, body: { blocked } });
    return { to: `/contacts/${id}`, flash: { text: blocked ? blockedNow : unblocked } };
  },
});
export const block = blocking(true);
export const unblock = blocking(false);

/** What takes a contact out of reach, or away, as far as the person may. */
export function parting(page: Page, { blocked }: Contact): Html[] {
  const texts = PARTING[page.lang];
  const { block: label, blockLead: lead } = texts;
  const stop = (): Html =>
    blocked
      ? form(page, 'unblock', html`<button class="quiet">${texts.unblock}</button>`)
      : askFirst(page, 'block', { label, lead, danger: true });
  const away = (): Html[] => [
    linkButton(`${page.path}/merge`, texts.merge, true),
    askFirst(page, 'delete', { label: texts.delete, lead: texts.deleteLead, danger: true }),
  ];
  return [
    ...(page.may('contacts.write') ? [stop()] : []),
    ...(page.may('contacts.delete') ? away() : []),
  ];
}
