import { getForm } from '../../forms/service.ts';
import { html } from '../../pages/html.ts';
import { call } from '../calling.ts';
import { crumbs } from '../frame/heading.ts';
import { type ConsolePage, type Done, field, idOf } from '../page.ts';
import { contactChoice, find } from '../parts/contact-choice.ts';
import { form } from '../parts/form.ts';
import { FORMS } from './texts.ts';

/** A link that opens the form for one contact. */
export const formLinkPage: ConsolePage = {
  path: '/forms/:id/link',
  id: 'frm',
  permission: 'forms.write',
  view: async (page) => {
    const texts = FORMS[page.lang];
    const { title } = await getForm(page.ctx, idOf(page), page.parts.baseUrl);
    const choice = await contactChoice(page, {
      type: 'radio',
      error: page.problems.get('contact_id'),
    });
    return {
      title: texts.link,
      content: html`${crumbs(page, [`/forms/${idOf(page)}`, title])}
<h1>${texts.link}</h1><p>${texts.linkLead}</p>
${form(page, 'create', html`${choice}<button>${texts.link}</button>`)}`,
    };
  },
  actions: {
    find,
    create: {
      permission: 'forms.write',
      run: async (page): Promise<Done> => {
        const { url } = await call<{ url: string }>(page, 'create_form_link', {
          id: idOf(page),
          body: { contact_id: field(page, 'contact_id') },
        });
        const flash = { text: FORMS[page.lang].linkReady, once: { link: url } };
        return { to: `/forms/${idOf(page)}`, flash };
      },
    },
  },
};
