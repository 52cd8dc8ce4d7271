import { html } from '../../pages/html.ts';
import { call } from '../calling.ts';
import { crumbs } from '../frame/heading.ts';
import type { ConsolePage, Done } from '../page.ts';
import { form } from '../parts/form.ts';
import { asWritten, bodyOf, definitionIds, starterText, writingFields } from './definition.ts';
import { AUTOMATIONS } from './texts.ts';

export const newAutomationPage: ConsolePage = {
  path: '/automations/new',
  permission: 'automations.activate',
  view: async (page) => {
    const texts = AUTOMATIONS[page.lang];
    const kept = { name: '', description: '', definition: starterText(page) };
    return {
      title: texts.create,
      content: html`${crumbs(page, ['/automations', texts.nav])}
<h1>${texts.create}</h1><p class="soft">${texts.lead}</p>
${form(page, 'create', writingFields(page, kept))}
${await definitionIds(page)}`,
    };
  },
  actions: {
    create: {
      permission: 'automations.activate',
      once: true,
      problemsAt: { duplicate: 'name' },
      run: async (page): Promise<Done> => {
        const body = bodyOf(page);
        const made = () => call<{ id: string }>(page, 'create_automation', { body });
        const { id } = await asWritten(page, made);
        return { to: `/automations/${id}`, flash: { text: AUTOMATIONS[page.lang].created } };
      },
    },
  },
};
