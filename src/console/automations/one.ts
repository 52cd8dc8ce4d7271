import { restrictedMember } from '../../access/visibility.ts';
import { type Overview, overviewsOf } from '../../automations/overview.ts';
import { removeAutomation } from '../../automations/removing.ts';
import type { Context } from '../../context.ts';
import { hidden, radios } from '../../pages/fields.ts';
import { type Html, html } from '../../pages/html.ts';
import {
  code,
  definitions,
  disclosure,
  type Fact,
  knownFacts,
  linkButton,
} from '../../pages/parts.ts';
import { ask, call } from '../calling.ts';
import { bar, crumbs } from '../frame/heading.ts';
import { type Action, type ConsolePage, type Done, field, idOf, type Page } from '../page.ts';
import { asSeen, seenField } from '../parts/as-seen.ts';
import { askFirst, form } from '../parts/form.ts';
import { removal, removalButton } from '../parts/removal.ts';
import {
  type Automation,
  asWritten,
  bodyOf,
  definitionIds,
  definitionText,
  issuesList,
  lockedMoment,
  requireWhole,
  writingFields,
} from './definition.ts';
import { standingOf } from './list.ts';
import { runsSection } from './runs.ts';
import { toStarting } from './starting.ts';
import { AUTOMATIONS } from './texts.ts';
import { versionsSection } from './versions.ts';

type Acting = Page<Context>;

/** Performs an action on the automation and returns to it, with a sentence about the result. */
const action = (run: (page: Acting) => Promise<string>): Action => ({
  permission: 'automations.activate',
  once: true,
  problemsAt: { duplicate: 'name' },
  run: async (page): Promise<Done> => {
    const text = await run(page);
    return { to: `/automations/${idOf(page)}`, flash: { text } };
  },
});

/**
 * Saves what stands in the form, unless that would undo somebody else's change unseen; and what comes `after` it, or
 * nothing of both.
 */
function written(page: Acting, after?: (page: Acting) => Promise<Automation>): Promise<Automation> {
  const id = idOf(page);
  const body = bodyOf(page);
  const save = async (locked: Acting): Promise<Automation> => {
    const saved = await call<Automation>(locked, 'update_automation', { id, body });
    // After it, because what else is wrong comes first; nothing is kept of it then.
    requireWhole(body);
    return after ? after(locked) : saved;
  };
  return asWritten(page, () => asSeen(page, { stored: lockedMoment(id), for: 'written' }, save));
}

const actions: Readonly<Record<string, Action>> = {
  save: action(async (page) => {
    await written(page);
    return AUTOMATIONS[page.lang].saved;
  }),
  activate: action(async (page) => {
    const { version } = await written(page, (locked) =>
      call<Automation>(locked, 'activate_automation', { id: idOf(page) }),
    );
    return AUTOMATIONS[page.lang].activated(page.format.number(version));
  }),
  deactivate: action(async (page) => {
    const texts = AUTOMATIONS[page.lang];
    const body = { in_progress: field(page, 'in_progress') };
    await call(page, 'deactivate_automation', { id: idOf(page), body });
    return page.sent.has('ended') ? texts.ended : texts.deactivated;
  }),
  delete: removal('automations.activate', '/automations', removeAutomation),
};

/** One automation: its definition, its issues, activation and its runs. */
export const automationPage: ConsolePage = {
  path: '/automations/:id',
  id: 'atm',
  permission: 'automations.read',
  actions,
  view: async (page) => {
    const texts = AUTOMATIONS[page.lang];
    const id = idOf(page);
    const one = await ask<Automation>(page, 'get_automation', { id });
    const overview = (await overviewsOf(page.ctx, [id])).get(id);
    const may = page.may('automations.activate');
    return {
      title: one.name,
      live: true,
      content: html`${crumbs(page, ['/automations', texts.nav])}
${bar(one.name, standingOf(page, one))}
${one.description && !may ? html`<p>${one.description}</p>` : null}
${knownFacts(factsOf(page, one, overview))}
<div class="actions">${linkButton(`${page.path}/simulate`, texts.simulate, true)}${may ? steering(page, one, overview?.open ?? 0) : null}</div>
<div class="beside"><section><h2>${texts.definition}</h2>${may ? await writing(page, one) : code(definitionText(one), texts.definition)}</section>
<section><h2>${texts.check}</h2><p class="soft">${texts.checkLead}</p>${issuesList(page, one.issues)}</section></div>
${await versionsSection(page, one)}
${await runsSection(page, html`${definitions([[texts.open, page.format.number(overview?.open ?? 0)]])}${dropped(page, one)}`)}`,
    };
  },
};

const writing = async (page: Page, one: Automation): Promise<Html> => {
  const { name, description, updated_at: changed } = one;
  const kept = { name, description: description ?? '', definition: definitionText(one) };
  return html`${form(page, 'save', html`${seenField(page, changed)}${writingFields(page, kept, activating(page, one))}`)}
${await definitionIds(page)}`;
};

function factsOf(
  { lang, format }: Page,
  { version, updated_at: changed }: Automation,
  overview: Overview | undefined,
): Fact[] {
  const texts = AUTOMATIONS[lang];
  const known = version === 0 ? texts.noVersion : texts.versionNote(format.number(version));
  return [
    [texts.startsBy, overview && texts.triggers[overview.trigger]],
    [texts.version, known],
    [texts.updated, format.time(changed)],
  ];
}

/** Starting by hand and deactivation, as far as the status allows. */
function steering(page: Page, { status }: Automation, open: number): Html {
  return html`${status === 'active' ? toStarting(page) : null}${
    status === 'active' ? deactivating(page, open) : null
  }${status === 'draft' ? removalButton(page, 'automation') : null}${status === 'inactive' && open > 0 ? ending(page) : null}`;
}

/** In the form of the draft: what is published is what its reader sees there. */
function activating(page: Page, one: Automation): Html | null {
  const { status, version, unpublished_edits: edited } = one;
  if (status === 'active' && !edited) return null;
  const texts = AUTOMATIONS[page.lang];
  if (restrictedMember(page.ctx.actor)) return html`<p class="soft">${texts.activateUnseen}</p>`;
  const [label, lead] =
    status === 'active'
      ? [texts.publish, texts.publishLead(page.format.number(version + 1))]
      : [texts.activate, texts.activateLead];
  const button = html`<button name="action" value="activate">${label}</button>`;
  return disclosure(label, html`<p>${lead}</p>${button}`);
}

function deactivating(page: Page, open: number): Html {
  const texts = AUTOMATIONS[page.lang];
  const fields = radios({
    name: 'in_progress',
    label: texts.inProgress(page.format.number(open)),
    chosen: ['finish'],
    choices: (['finish', 'cancel'] as const).map((value) => ({ value, ...texts.choices[value] })),
  });
  return askFirst(page, 'deactivate', { label: texts.deactivate, fields, danger: true });
}

function ending(page: Page): Html {
  const { endRuns: label, endRunsLead: lead } = AUTOMATIONS[page.lang];
  const fields = html`${hidden('in_progress', 'cancel')}${hidden('ended', 'yes')}`;
  return askFirst(page, 'deactivate', { label, lead, fields, danger: true });
}

/** How often its trigger fired without starting a run, and why. */
function dropped({ lang, format }: Page, { runs_dropped: counts }: Automation): Html | null {
  const texts = AUTOMATIONS[lang];
  const shown = Object.entries(counts);
  if (shown.length === 0) return null;
  return html`<h3>${texts.dropped}</h3>${definitions(
    shown.map(([reason, count]) => [texts.droppedBy[reason] ?? reason, format.number(count)]),
  )}`;
}
