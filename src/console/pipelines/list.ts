import type { Context } from '../../context.ts';
import { AppError, validation } from '../../errors.ts';
import { areaField, textField } from '../../pages/fields.ts';
import { html } from '../../pages/html.ts';
import { createPipeline } from '../../pipelines/managing.ts';
import { listPipelines } from '../../pipelines/reading.ts';
import { STAGE_KINDS } from '../../pipelines/rules.ts';
import { bar, crumbs, toNew } from '../frame/heading.ts';
import { type ConsolePage, type Done, field, type Page } from '../page.ts';
import { asSent, form } from '../parts/form.ts';
import { listed, pageAfter } from '../parts/listing.ts';
import { PIPELINES } from './texts.ts';

/** The pipelines of the workspace, newest first. */
export const pipelinesPage: ConsolePage = {
  path: '/pipelines',
  permission: 'pipelines.read',
  nav: { group: 'work', name: (lang) => PIPELINES[lang].nav },
  view: async (page) => {
    const texts = PIPELINES[page.lang];
    const { data, next } = await listPipelines(page.ctx, pageAfter(page, 'pip'));
    return {
      title: texts.nav,
      content: html`${bar(texts.nav, toNew(page, 'pipelines.manage', texts.create))}
${listed(
  page,
  texts,
  data.map((one) => [
    html`<a href="${page.base}/pipelines/${one.id}">${one.name}</a>`,
    one.stages.map(({ name }) => name).join(', '),
    page.format.day(one.created_at),
  ]),
  next,
)}`,
    };
  },
};

const stagesIn = (page: Page<Context>) =>
  STAGE_KINDS.flatMap((kind) =>
    field(page, kind)
      .split('\n')
      .map((line) => line.trim())
      .filter((name) => name !== '')
      .map((name) => ({ name, kind })),
  );

/** The service names a stage by its place; on the page each kind of stages has a field. */
function atTheirKind(error: unknown, stages: ReturnType<typeof stagesIn>): unknown {
  if (!(error instanceof AppError) || !Array.isArray(error.details)) return error;
  const fieldOf = (path: string): string => {
    const [stage, place] = /^stages(?:\[(\d+)\])?/.exec(path) ?? [];
    return stage === undefined ? path : (stages[Number(place)]?.kind ?? 'open');
  };
  return validation(error.details.map((one) => ({ ...one, path: fieldOf(one.path) })));
}

export const newPipelinePage: ConsolePage = {
  path: '/pipelines/new',
  permission: 'pipelines.manage',
  view: async (page) => {
    const texts = PIPELINES[page.lang];
    const stages = STAGE_KINDS.map((kind) =>
      areaField({
        ...asSent(page, kind),
        label: texts.stagesOf[kind],
        hint: texts.stagesHint,
        rows: kind === 'open' ? 5 : 2,
        required: kind === 'open',
      }),
    );
    const name = textField({
      ...asSent(page, 'name'),
      label: texts.name,
      maxLength: 60,
      required: true,
    });
    return {
      title: texts.create,
      content: html`${crumbs(page, ['/pipelines', texts.nav])}<h1>${texts.create}</h1>
${form(page, 'create', html`${name}${stages}<button>${texts.save}</button>`)}`,
    };
  },
  actions: {
    create: {
      permission: 'pipelines.manage',
      once: true,
      problemsAt: { duplicate: 'name' },
      run: async (page): Promise<Done> => {
        const made = { name: field(page, 'name'), stages: stagesIn(page) };
        const { id } = await createPipeline(page.ctx, made).catch((error: unknown) => {
          throw atTheirKind(error, made.stages);
        });
        return { to: `/pipelines/${id}`, flash: { text: PIPELINES[page.lang].created } };
      },
    },
  },
};
