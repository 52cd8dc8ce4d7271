import { startByHand } from '../../automations/by-hand.ts';
import { html } from '../../pages/html.ts';
import type { Dictionary } from '../../pages/language.ts';
import { linkButton } from '../../pages/parts.ts';
import { ask } from '../calling.ts';
import { crumbs } from '../frame/heading.ts';
import { type ConsolePage, type Done, field, idOf, type Page } from '../page.ts';
import { contactChoice, find } from '../parts/contact-choice.ts';
import { form } from '../parts/form.ts';
import type { Automation } from './definition.ts';
import { AUTOMATIONS } from './texts.ts';

interface Texts {
  readonly title: string;
  readonly lead: string;
  readonly started: string;
}

const STARTING: Dictionary<Texts> = {
  en: {
    title: 'Start for a contact',
    lead: 'It starts whatever its trigger is, if its entry lets the contact in.',
    started: 'It starts within moments, if its entry lets the contact in.',
  },
  'pt-BR': {
    title: 'Iniciar para um contato',
    lead: 'Ela começa seja qual for o gatilho, se a entrada deixar o contato entrar.',
    started: 'Ela começa em instantes, se a entrada deixar o contato entrar.',
  },
};

export const toStarting = (page: Page) =>
  linkButton(`${page.path}/start`, STARTING[page.lang].title, true);

/** Starts an active automation by hand, for one contact. */
export const startingPage: ConsolePage = {
  path: '/automations/:id/start',
  id: 'atm',
  permission: 'automations.activate',
  view: async (page) => {
    const texts = STARTING[page.lang];
    const { name } = await ask<Automation>(page, 'get_automation', { id: idOf(page) });
    const error = page.problems.get('contact_id');
    const choice = await contactChoice(page, { type: 'radio', error });
    return {
      title: `${texts.title}: ${name}`,
      content: html`${crumbs(page, ['/automations', AUTOMATIONS[page.lang].nav], [`/automations/${idOf(page)}`, name])}
<h1>${texts.title}</h1><p>${texts.lead}</p>
${form(page, 'start', html`${choice}<button>${texts.title}</button>`)}`,
    };
  },
  actions: {
    find,
    start: {
      permission: 'automations.activate',
      once: true,
      run: async (page): Promise<Done> => {
        const id = idOf(page);
        await startByHand(page.ctx, id, field(page, 'contact_id'));
        return { to: `/automations/${id}`, flash: { text: STARTING[page.lang].started } };
      },
      problemsAt: { unknown_contact: 'contact_id' },
    },
  },
};
