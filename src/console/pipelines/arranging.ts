import type { Context } from '../../context.ts';
import { hidden, selectField, textField } from '../../pages/fields.ts';
import { type Html, html } from '../../pages/html.ts';
import { disclosure, named, table } from '../../pages/parts.ts';
import {
  addStage,
  moveStage,
  removeStage,
  renamePipeline,
  renameStage,
} from '../../pipelines/managing.ts';
import { getPipeline } from '../../pipelines/reading.ts';
import { removePipeline } from '../../pipelines/removing.ts';
import { STAGE_KINDS, type StageKind } from '../../pipelines/rules.ts';
import { crumbs } from '../frame/heading.ts';
import {
  type Action,
  type ConsolePage,
  type Done,
  field,
  idOf,
  type Page,
  wasRefused,
} from '../page.ts';
import { form } from '../parts/form.ts';
import { removal, removalButton } from '../parts/removal.ts';
import { PIPELINES } from './texts.ts';

type Pipeline = Awaited<ReturnType<typeof getPipeline>>;
type Stage = Pipeline['stages'][number];

const arranging = (
  done: 'renamed' | 'changed' | 'moved',
  work: (page: Page<Context>) => Promise<unknown>,
  problemsAt: Action['problemsAt'] = {},
): Action => ({
  problemsAt,
  permission: 'pipelines.manage',
  once: true,
  run: async (page): Promise<Done> => {
    await work(page);
    return {
      to: `/pipelines/${idOf(page)}/stages`,
      flash: { text: PIPELINES[page.lang][done] },
    };
  },
});

/** A pipeline's name and its stages: their names and order, adding stages, and removing empty ones. */
export const stagesPage: ConsolePage = {
  path: '/pipelines/:id/stages',
  id: 'pip',
  permission: 'pipelines.manage',
  view: async (page) => {
    const texts = PIPELINES[page.lang];
    const pipeline = await getPipeline(page.ctx, idOf(page));
    return {
      title: texts.arrange,
      content: html`${crumbs(page, [`/pipelines/${pipeline.id}`, pipeline.name])}
<h1>${texts.arrange}</h1>
${form(page, 'rename', html`${nameField(page, { action: 'rename', label: texts.name, kept: pipeline.name })}<button>${texts.rename}</button>`)}
<h2>${texts.stages}</h2><p class="soft">${texts.removeLead}</p>
${table({
  caption: texts.stages,
  columns: [texts.stage, texts.kind, texts.place, texts.remove],
  rows: pipeline.stages.map((stage) => rowOf(page, pipeline, stage)),
})}
<h2>${texts.addStage}</h2>${adding(page)}
<div class="actions">${removalButton(page, 'pipeline')}</div>`,
    };
  },
  actions: {
    delete: removal('pipelines.manage', '/pipelines', removePipeline),
    rename: arranging(
      'renamed',
      (page) => renamePipeline(page.ctx, idOf(page), field(page, 'name')),
      { duplicate: 'name' },
    ),
    'rename-stage': arranging('changed', (page) =>
      renameStage(page.ctx, field(page, 'id'), field(page, 'name')),
    ),
    move: arranging(
      'moved',
      (page) => moveStage(page.ctx, field(page, 'id'), Number(field(page, 'place')) - 1),
      { stages: 'place', position: 'place' },
    ),
    remove: arranging('changed', (page) => removeStage(page.ctx, field(page, 'id'))),
    add: arranging(
      'changed',
      (page) =>
        addStage(page.ctx, idOf(page), {
          name: field(page, 'name'),
          kind: field(page, 'kind') as StageKind,
        }),
      { stages: 'name' },
    ),
  },
};

interface Naming {
  readonly action: string;
  readonly label: string | Html;
  readonly kept: string;
  /** Which row's name it is; absent for the pipeline's own. */
  readonly row?: string;
}

function nameField(page: Page, { action, label, kept, row }: Naming): Html {
  const refused = wasRefused(page, action, row);
  return textField({
    name: 'name',
    ...(row ? { within: row } : {}),
    label,
    value: refused ? field(page, 'name') : kept,
    error: refused ? page.problems.get('name') : undefined,
    maxLength: 60,
    required: true,
  });
}

function rowOf(page: Page, { stages }: Pipeline, { id, name, kind, position }: Stage): Html[] {
  const texts = PIPELINES[page.lang];
  const unseen = (text: string): Html =>
    html`<span class="unseen">${text} (${name}, ${texts.kinds[kind]})</span>`;
  const label = unseen(texts.name);
  const nameInput = nameField(page, { action: 'rename-stage', label, kept: name, row: id });
  const refused = wasRefused(page, 'move', id);
  const place = selectField({
    name: 'place',
    within: id,
    label: unseen(texts.place),
    value: refused ? field(page, 'place') : String(position + 1),
    error: refused ? page.problems.get('place') : undefined,
    options: stages.map((_, i) => ({ value: String(i + 1), label: String(i + 1) })),
  });
  const button = (text: string, tone: 'quiet' | 'danger'): Html =>
    html`<button class="${tone}">${named(text, name)}</button>`;
  const own = (action: string, fields: Html | null, submit: Html): Html =>
    form(page, action, html`${hidden('id', id)}<div class="inline">${fields}${submit}</div>`);
  return [
    own('rename-stage', nameInput, button(texts.rename, 'quiet')),
    html`${texts.kinds[kind]}`,
    own('move', place, button(texts.move, 'quiet')),
    disclosure(named(texts.remove, name), own('remove', null, button(texts.remove, 'danger')), {
      danger: true,
      open: wasRefused(page, 'remove', id),
    }),
  ];
}

/** Stands for the id of a stage that does not exist yet. */
const NEW = 'new';

function adding(page: Page): Html {
  const texts = PIPELINES[page.lang];
  const kind = selectField({
    name: 'kind',
    label: texts.kind,
    value: field(page, 'kind'),
    options: STAGE_KINDS.map((value) => ({ value, label: texts.kinds[value] })),
  });
  return form(
    page,
    'add',
    html`${hidden('id', NEW)}${nameField(page, { action: 'add', label: texts.stage, kept: '', row: NEW })}${kind}<button>${texts.addStage}</button>`,
  );
}
