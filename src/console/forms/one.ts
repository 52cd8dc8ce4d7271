import { startedByForm } from '../../automations/overview.ts';
import { removeForm } from '../../forms/removing.ts';
import { getForm } from '../../forms/service.ts';
import { type Html, html } from '../../pages/html.ts';
import { code, type Fact, knownFacts, linkButton, notice, table } from '../../pages/parts.ts';
import { standingOf } from '../automations/list.ts';
import { call } from '../calling.ts';
import { bar, crumbs } from '../frame/heading.ts';
import { type Action, type ConsolePage, type Done, idOf, type Page } from '../page.ts';
import { askFirst, form } from '../parts/form.ts';
import { removal, removalButton } from '../parts/removal.ts';
import { statusBadge } from './list.ts';
import { submissions } from './submissions.ts';
import { FORMS } from './texts.ts';

type Form = Awaited<ReturnType<typeof getForm>>;

const STEPS = { publish: 'published', unpublish: 'unpublished' } as const;
type Step = keyof typeof STEPS;

const stepAction = (step: Step): Action => ({
  permission: 'forms.write',
  once: true,
  run: async (page): Promise<Done> => {
    await call(page, `${step}_form`, { id: idOf(page) });
    return { to: `/forms/${idOf(page)}`, flash: { text: FORMS[page.lang][STEPS[step]] } };
  },
});

/** A form: its address, its questions and its submissions. */
export const formPage: ConsolePage = {
  path: '/forms/:id',
  id: 'frm',
  permission: 'forms.read',
  view: async (page) => {
    const texts = FORMS[page.lang];
    const one = await getForm(page.ctx, idOf(page), page.parts.baseUrl);
    const automation = await startedByForm(page.ctx, one.id);
    const edit = linkButton(`${page.path}/edit`, texts.edit, true);
    const link = page.flash?.once?.['link'];
    return {
      title: one.title,
      content: html`${crumbs(page, ['/forms', texts.nav])}
${bar(one.title, [statusBadge(page, one.status), page.may('forms.write') ? edit : null])}
${link ? html`<h2>${texts.linkMade}</h2>${code(link, texts.linkMade)}` : null}
${knownFacts(factsOf(page, one, automation))}
${startsNothing(one, automation) ? notice(texts.startsNothing, 'warn') : null}
${page.may('forms.write') ? steps(page, one) : null}
<h2>${texts.questions}</h2>${questions(page, one)}
${await submissions(page)}`,
    };
  },
  actions: {
    publish: stepAction('publish'),
    unpublish: stepAction('unpublish'),
    delete: removal('forms.write', '/forms', removeForm),
  },
};

type Automation = NonNullable<Awaited<ReturnType<typeof startedByForm>>>;

/** Answers come in, and what shall begin with each does not. */
const startsNothing = ({ status }: Form, automation: Automation | null): boolean =>
  status === 'published' && automation !== null && automation.status !== 'active';

function factsOf(page: Page, one: Form, automation: Automation | null): Fact[] {
  const texts = FORMS[page.lang];
  const written = (value: string): Html => html`<span class="written">${value}</span>`;
  return [
    [texts.address, one.url && html`<a href="${one.url}">${one.url}</a>`],
    [texts.version, page.format.number(one.version)],
    [texts.description, one.description && written(one.description)],
    [texts.thanks, one.thanks && written(one.thanks)],
    [texts.tag, one.tag && written(one.tag)],
    [texts.automation, automation && linkTo(page, automation)],
    [texts.personal, one.personal_link ? texts.yes : texts.no],
  ];
}

const linkTo = (page: Page, { id, name, status }: Automation): Html =>
  html`<a href="${page.base}/automations/${id}">${name}</a> ${standingOf(page, { status, unpublished_edits: false })}`;

function questions({ lang }: Page, { fields }: Form): Html {
  const texts = FORMS[lang];
  return table({
    caption: texts.questions,
    columns: texts.questionColumns,
    rows: fields.map(({ label, required, type, save_to, options }) => [
      html`${label}${required ? html` <span class="soft">(${texts.required})</span>` : null}`,
      html`<code>${type}</code>`,
      save_to ? html`<code>${save_to}</code>` : null,
      options.join(', '),
    ]),
  });
}

function steps(page: Page, { status, personal_link: personal }: Form): Html {
  const texts = FORMS[page.lang];
  const publish = form(page, 'publish', html`<button>${texts.publish}</button>`);
  if (status === 'draft')
    return html`<div class="actions">${publish}${removalButton(page, 'form')}</div>`;
  if (status !== 'published') return publish;
  const { unpublish: label, unpublishLead: lead } = texts;
  const link = linkButton(`${page.path}/link`, texts.link, true);
  return html`<div class="actions">${personal ? link : null}${askFirst(page, 'unpublish', { label, lead, danger: true })}</div>`;
}
