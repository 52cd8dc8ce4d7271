import { type Html, html } from '../../pages/html.ts';
import { disclosure, linkButton } from '../../pages/parts.ts';
import { call } from '../calling.ts';
import { type Action, idOf, type Page } from '../page.ts';
import { form } from '../parts/form.ts';
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
  const button = (action: 'block' | 'unblock', look: 'danger' | 'quiet'): Html =>
    form(page, action, html`<button class="${look}">${texts[action]}</button>`);
  const stop = (): Html =>
    blocked
      ? button('unblock', 'quiet')
      : disclosure(texts.block, html`<p>${texts.blockLead}</p>${button('block', 'danger')}`, {
          danger: true,
        });
  const away = (): Html[] => [
    linkButton(`${page.path}/merge`, texts.merge, true),
    disclosure(
      texts.delete,
      html`<p>${texts.deleteLead}</p>${form(page, 'delete', html`<button class="danger">${texts.delete}</button>`)}`,
      { danger: true },
    ),
  ];
  return [
    ...(page.may('contacts.write') ? [stop()] : []),
    ...(page.may('contacts.delete') ? away() : []),
  ];
}
