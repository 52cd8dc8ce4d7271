import type { getRun } from '../../automations/reading.ts';
import { contactNames } from '../../contacts/names.ts';
import { AppError, notFound } from '../../errors.ts';
import { type Html, html } from '../../pages/html.ts';
import { code, disclosure, type Fact, knownFacts, notice, table } from '../../pages/parts.ts';
import { ask, call } from '../calling.ts';
import { bar, crumbs } from '../frame/heading.ts';
import { asksAgain } from '../frame/live.ts';
import { atNewest } from '../inbox/address.ts';
import { type ConsolePage, type Done, idOf, type Page, partOf } from '../page.ts';
import { askFirst } from '../parts/form.ts';
import { jsonText } from '../parts/json-text.ts';
import type { Automation } from './definition.ts';
import { contactLink, endOf, runBadge } from './runs.ts';
import { AUTOMATIONS } from './texts.ts';
import { versionLink } from './versions.ts';

type Run = Awaited<ReturnType<typeof getRun>>;

const isOpen = ({ status }: Run): boolean => status === 'running' || status === 'waiting';

/** One run: what started it, its status, and each step it took. */
export const runPage: ConsolePage = {
  path: '/automations/:id/runs/:part',
  id: 'atm',
  part: 'run',
  permission: 'automations.read',
  view: async (page) => {
    const texts = AUTOMATIONS[page.lang];
    const run = await ask<Run>(page, 'get_run', { id: partOf(page) });
    // The address contains both ids; a run of another automation is not found under it.
    if (run.automation_id !== idOf(page)) throw notFound('run');
    const { name } = await ask<Automation>(page, 'get_automation', { id: idOf(page) });
    const open = isOpen(run);
    const state = open ? 'open' : 'over';
    return {
      title: `${texts.run}: ${name}`,
      live: open,
      state,
      content: html`${crumbs(page, ['/automations', texts.nav], [`/automations/${idOf(page)}`, name])}
<div id="run"${open ? asksAgain(page, { id: 'run', seconds: 5, state }) : null}>${bar(texts.run, runBadge(page, run.status))}
${run.error ? notice(whyOf(page, run.error), 'bad') : null}
${knownFacts(await factsOf(page, run))}
<h2>${texts.steps}</h2>${steps(page, run)}</div>
${open && page.may('automations.activate') ? cancelling(page) : null}`,
    };
  },
  actions: {
    cancel: {
      permission: 'automations.activate',
      once: true,
      run: async (page): Promise<Done> => {
        const id = idOf(page);
        const part = partOf(page);
        await call(page, 'cancel_run', { id: part });
        const text = AUTOMATIONS[page.lang].cancelled;
        return { to: `/automations/${id}/runs/${part}`, flash: { text } };
      },
    },
  },
};

const whyOf = ({ lang }: Page, { step_id: step, code: why, message }: NonNullable<Run['error']>) =>
  html`<p><strong>${AUTOMATIONS[lang].failed}:</strong> ${AUTOMATIONS[lang].failures[why]}${step ? html` (<code>${step}</code>)` : null}</p><p class="soft" lang="en">${message}</p>`;

async function factsOf(page: Page, run: Run): Promise<Fact[]> {
  const texts = AUTOMATIONS[page.lang];
  const { contact_id: contact, conversation_id: talk, trigger } = run;
  const names = await contactNames(page.ctx, contact ? [contact] : []);
  const started = texts.triggers[trigger.type as keyof typeof texts.triggers] ?? trigger.type;
  return [
    [texts.contact, contactLink(page, contact, names.get(contact ?? ''))],
    [
      texts.conversation,
      talk && page.may('conversations.read')
        ? html`<a href="${page.base}${atNewest(talk)}">${texts.toConversation}</a>`
        : null,
    ],
    [texts.startsBy, started],
    [texts.cause, run.cause_run_id && (await causeOf(page, run.cause_run_id))],
    [texts.version, versionLink(page, run.automation_id, run.version)],
    [texts.began, page.format.moment(run.started_at)],
    [run.finished_at ? texts.finished : texts.waits, endOf(page, run)],
  ];
}

/** The run that led to this one, by the name of its automation; null if the person may not see it. */
async function causeOf(page: Page, id: string): Promise<Html | null> {
  try {
    const { automation_id: automation } = await ask<Run>(page, 'get_run', { id });
    const { name } = await ask<Automation>(page, 'get_automation', { id: automation });
    return html`<a href="${page.base}/automations/${automation}/runs/${id}">${name}</a>`;
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return null;
    throw error;
  }
}

function steps(page: Page, { steps: taken }: Run): Html {
  const texts = AUTOMATIONS[page.lang];
  const { moment } = page.format;
  return table({
    caption: texts.steps,
    columns: texts.stepColumns,
    none: texts.noSteps,
    rows: taken.map((step) => [
      html`<code>${step.step_id}</code>`,
      html`<code>${step.type}</code>`,
      runBadge(page, step.status),
      moment(step.started_at),
      step.finished_at ? moment(step.finished_at) : '',
      resultOf(page, step),
    ]),
  });
}

function resultOf({ lang }: Page, { output, error }: Run['steps'][number]): Html | string {
  const texts = AUTOMATIONS[lang];
  if (error) return texts.failures[error.code];
  if (output === null) return '';
  return disclosure(texts.output, code(jsonText(output), texts.output));
}

function cancelling(page: Page): Html {
  const { cancel: label, cancelLead: lead } = AUTOMATIONS[page.lang];
  return askFirst(page, 'cancel', { label, lead, danger: true });
}
