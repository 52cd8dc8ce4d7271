import { nameOfContact } from '../../contacts/names.ts';
import { getContact } from '../../contacts/service.ts';
import { html } from '../../pages/html.ts';
import { call } from '../calling.ts';
import { crumbs } from '../frame/heading.ts';
import { type ConsolePage, type Done, field, idOf } from '../page.ts';
import { contactChoice, find } from '../parts/contact-choice.ts';
import { form } from '../parts/form.ts';
import { PARTING } from './parting-texts.ts';
import { CONTACTS } from './texts.ts';

/** Two entries of one person become one. */
export const mergePage: ConsolePage = {
  path: '/contacts/:id/merge',
  id: 'con',
  permission: 'contacts.delete',
  view: async (page) => {
    const texts = PARTING[page.lang];
    const name = nameOfContact(await getContact(page.ctx, idOf(page)));
    const error = page.problems.get('contact_id');
    const choice = await contactChoice(page, { type: 'radio', without: idOf(page), error });
    return {
      title: texts.merge,
      content: html`${crumbs(page, ['/contacts', CONTACTS[page.lang].nav], [`/contacts/${idOf(page)}`, name])}
<h1>${texts.merge}</h1><p>${texts.mergeLead(name)}</p>
${form(page, 'merge', html`${choice}<button class="danger">${texts.mergeNow}</button>`)}`,
    };
  },
  actions: {
    find,
    merge: {
      permission: 'contacts.delete',
      once: true,
      run: async (page): Promise<Done> => {
        const id = idOf(page);
        const body = { contact_id: field(page, 'contact_id') };
        await call(page, 'merge_contacts', { id, body });
        return { to: `/contacts/${id}`, flash: { text: PARTING[page.lang].merged } };
      },
      problemsAt: { unknown_contact: 'contact_id' },
    },
  },
};
