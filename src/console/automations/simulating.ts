import { AFTER_A_MESSAGE } from '../../automations/definition/triggers.ts';
import { firingMessage } from '../../automations/simulation/firing.ts';
import type { simulateAutomation } from '../../automations/simulation/simulate.ts';
import { AppError, validation } from '../../errors.ts';
import { areaField, textField } from '../../pages/fields.ts';
import { type Html, html } from '../../pages/html.ts';
import { badge, emptyState, notice, table } from '../../pages/parts.ts';
import { ask, call } from '../calling.ts';
import { crumbs } from '../frame/heading.ts';
import { type Answer, type ConsolePage, field, idOf, type Page } from '../page.ts';
import { asKept, form } from '../parts/form.ts';
import { faultsIn } from '../parts/json-text.ts';
import type { Automation } from './definition.ts';
import { runBadge } from './runs.ts';
import { SIMULATION } from './simulating-texts.ts';
import { AUTOMATIONS } from './texts.ts';

type Simulation = Awaited<ReturnType<typeof simulateAutomation>>;
type Said = Simulation['conversation'][number];

/** Simulates the draft with an invented person. The result is shown in answer to the form, and not stored. */
export const simulationPage: ConsolePage = {
  path: '/automations/:id/simulate',
  id: 'atm',
  permission: 'automations.read',
  view: async (page) => {
    const texts = SIMULATION[page.lang];
    const { name, trigger } = await ask<Automation>(page, 'get_automation', { id: idOf(page) });
    const firing = firingMessage(trigger, texts.first);
    const message = firing ?? (AFTER_A_MESSAGE.has(trigger.type) ? texts.first : '');
    return {
      title: `${texts.title}: ${name}`,
      content: html`${crumbs(page, ['/automations', AUTOMATIONS[page.lang].nav], [`/automations/${idOf(page)}`, name])}
<h1>${texts.title}</h1><p class="soft">${texts.lead}</p>
${page.answer}
${form(page, 'simulate', html`${fields(page, { message, required: firing !== null })}<button>${texts.start}</button>`)}`,
    };
  },
  actions: {
    simulate: {
      permission: 'automations.read',
      run: async (page): Promise<Answer> => {
        const asked = { id: idOf(page), body: bodyOf(page) };
        const went = await call<Simulation>(page, 'simulate_automation', asked).catch(
          (error: unknown) => {
            throw atTheirLine(page, error);
          },
        );
        return { answer: outcome(page, went) };
      },
    },
  },
};

const LINE = /^(?:(P[0-9T][0-9A-Z]*)\s+)?(.+)$/;

function bodyOf(page: Page) {
  const message = field(page, 'message').trim();
  const replies = repliesIn(page).map(({ written }, i) => {
    const [, after = `PT${i + 1}M`, text = written] = LINE.exec(written) ?? [];
    return { after, text };
  });
  const contact = { name: field(page, 'name').trim() };
  return { contact, replies, message: message === '' ? null : message };
}

/** The lines on which a reply stands, counted from 1. */
const repliesIn = (page: Page): { readonly line: number; readonly written: string }[] =>
  field(page, 'replies')
    .split('\n')
    .map((text, i) => ({ line: i + 1, written: text.trim() }))
    .filter(({ written }) => written !== '');

/** The operation names a reply by its place among them; on the page each has a line. */
function atTheirLine(page: Page, error: unknown): unknown {
  if (!(error instanceof AppError) || !Array.isArray(error.details)) return error;
  const replies = repliesIn(page);
  const placeOf = (path: string): string => {
    const [, place] = /^replies\[(\d+)\]/.exec(path) ?? [];
    if (place === undefined) return path === 'contact.name' ? 'name' : path;
    return `replies.${SIMULATION[page.lang].line(replies[Number(place)]?.line ?? 0)}`;
  };
  return validation(
    error.details.map((one) => ({
      ...one,
      path: placeOf(one.path),
      rule: one.path.endsWith('.after') ? 'duration' : one.rule,
    })),
  );
}

/** @param begins what stands there first as the person's message, and whether nothing else fires the trigger */
function fields(
  page: Page,
  begins: { readonly message: string; readonly required: boolean },
): Html {
  const texts = SIMULATION[page.lang];
  const { message, required } = begins;
  const first = { name: 'Ana Souza', message, replies: '' };
  const about = (name: keyof typeof first) => ({
    ...asKept(page, first, name),
    error: faultsIn(page, name),
  });
  return html`${textField({ ...about('name'), label: texts.contact, maxLength: 120 })}
${textField({ ...about('message'), label: texts.message, maxLength: 4096, ...(required ? { required } : { hint: texts.messageHint }) })}
${areaField({ ...about('replies'), label: texts.replies, hint: texts.repliesHint })}`;
}

function outcome(page: Page, went: Simulation): Html {
  const texts = SIMULATION[page.lang];
  const { failures } = AUTOMATIONS[page.lang];
  const { error, stopped_by: stopped, unheard_replies: unheard } = went;
  return html`<section><div class="bar"><h2>${texts.outcome}</h2>${runBadge(page, went.status)}</div>
${error ? notice(html`${failures[error.code]}${error.step_id ? html` (<code>${error.step_id}</code>)` : null}: <span lang="en">${error.message}</span>`, 'bad') : null}
${stopped ? notice(texts.stoppedBy[stopped], 'warn') : null}
${unheard > 0 ? notice(texts.unheard(page.format.number(unheard)), 'warn') : null}
<h3>${texts.conversation}</h3>${conversation(page, went.conversation)}
<h3>${texts.steps}</h3>${steps(page, went)}</section>`;
}

function conversation(page: Page, said: readonly Said[]): Html {
  const texts = SIMULATION[page.lang];
  if (said.length === 0) return emptyState(texts.nothingSaid);
  return html`<ol class="thread">${said.map(({ direction, type, text, at }) => {
    const ours = direction === 'outbound';
    return html`<li${ours ? html` class="ours"` : null}><p class="written">${text === '' ? badge(type) : text}</p><p class="soft">${ours ? texts.ours : texts.theirs}, ${page.format.moment(at)}</p></li>`;
  })}</ol>`;
}

function steps(page: Page, { steps: taken }: Simulation): Html {
  const texts = SIMULATION[page.lang];
  return table({
    caption: texts.steps,
    columns: texts.columns,
    rows: taken.map((step) => [
      html`<code>${step.step_id}</code>`,
      html`<code>${step.type}</code>`,
      runBadge(page, step.status),
      page.format.moment(step.started_at),
      step.next_step_id
        ? html`<code>${step.next_step_id}</code>${step.branch && step.branch !== 'next' ? html` (<code>${step.branch}</code>)` : null}`
        : '',
    ]),
  });
}
