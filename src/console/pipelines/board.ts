import { hidden, selectField } from '../../pages/fields.ts';
import { type Html, html } from '../../pages/html.ts';
import { badge, linkButton } from '../../pages/parts.ts';
import { getPipeline, latestInStage } from '../../pipelines/reading.ts';
import { call } from '../calling.ts';
import { bar, crumbs } from '../frame/heading.ts';
import { type ConsolePage, type Done, field, idOf, type Page, wasRefused } from '../page.ts';
import { form } from '../parts/form.ts';
import { PIPELINES } from './texts.ts';
import { namesIn, type Who } from './who.ts';

type Pipeline = Awaited<ReturnType<typeof getPipeline>>;
type Stage = Pipeline['stages'][number];
type Deal = Awaited<ReturnType<typeof latestInStage>>[number];

/** The most deals a column shows; the stage's own list has the rest. Each card offers every other stage. */
const IN_A_COLUMN = 20;
const ON_THE_BOARD = 200;

/**
 * The deals of a pipeline by stage, the last that came into it first: one that was just moved is in sight. A deal is
 * moved with a choice and a button, without a script.
 */
export const boardPage: ConsolePage = {
  path: '/pipelines/:id',
  id: 'pip',
  permission: 'pipelines.read',
  view: async (page) => {
    const texts = PIPELINES[page.lang];
    const pipeline = await getPipeline(page.ctx, idOf(page));
    const columns: Column[] = [];
    for (const stage of pipeline.stages) columns.push(await columnOf(page, pipeline, stage));
    const who = await namesIn(
      page,
      columns.flatMap(({ deals }) => deals),
    );
    const arrange = linkButton(`${page.path}/stages`, texts.arrange, true);
    const create = linkButton(`${page.path}/deals/new`, texts.newDeal);
    return {
      title: pipeline.name,
      content: html`${crumbs(page, ['/pipelines', texts.nav])}
${bar(pipeline.name, [page.may('pipelines.manage') ? arrange : null, page.may('pipelines.move') ? create : null])}
<div class="board" role="group" aria-label="${texts.stages}" tabindex="0">${columns.map((one) => column(page, pipeline, one, who))}</div>`,
    };
  },
  actions: {
    move: {
      permission: 'pipelines.move',
      problemsAt: { unknown_stage: 'stage_id' },
      run: async (page): Promise<Done> => {
        const id = field(page, 'id');
        await call(page, 'move_deal', { id, body: { stage_id: field(page, 'stage_id') } });
        const { dealMoved } = PIPELINES[page.lang];
        return { to: `/pipelines/${idOf(page)}#${id}`, flash: { text: dealMoved } };
      },
    },
  },
};

interface Column {
  readonly stage: Stage;
  readonly deals: readonly Deal[];
  readonly hasMore: boolean;
}

async function columnOf(page: Page, { stages }: Pipeline, stage: Stage): Promise<Column> {
  const room = Math.min(IN_A_COLUMN, Math.ceil(ON_THE_BOARD / stages.length));
  const deals = await latestInStage(page.ctx, stage.id, room + 1);
  return { stage, deals: deals.slice(0, room), hasMore: deals.length > room };
}

function column(page: Page, pipeline: Pipeline, { stage, deals, hasMore }: Column, who: Who): Html {
  const texts = PIPELINES[page.lang];
  const kind = stage.kind === 'open' ? null : html` ${badge(texts.kinds[stage.kind])}`;
  const all = html`<p><a href="${page.path}/deals?stage=${stage.id}">${texts.more}</a></p>`;
  return html`<section aria-labelledby="${stage.id}"><h2 id="${stage.id}">${stage.name}${kind}</h2>${
    deals.length === 0
      ? html`<p class="soft">${texts.empty}</p>`
      : html`<ul>${deals.map((deal) => card(page, pipeline, deal, who))}</ul>`
  }${hasMore ? all : null}</section>`;
}

function card(page: Page, pipeline: Pipeline, deal: Deal, who: Who): Html {
  const { lang, base } = page;
  const texts = PIPELINES[lang];
  const { id, title, stage_id: stageId } = deal;
  const amount = amountOf(page, deal);
  const { contact, owner } = who(deal);
  const others = pipeline.stages.filter((stage) => stage.id !== stageId);
  const to = selectField({
    name: 'stage_id',
    within: id,
    label: html`<span class="unseen">${texts.moveTo(title)}</span>`,
    error: wasRefused(page, 'move', id) ? page.problems.get('stage_id') : undefined,
    options: others.map((stage) => ({ value: stage.id, label: stage.name })),
  });
  const button = html`<button class="quiet" aria-label="${texts.moveThis(title)}">${texts.move}</button>`;
  const moving = form(
    page,
    'move',
    html`${hidden('id', id)}<div class="inline">${to}${button}</div>`,
  );
  return html`<li id="${id}"><p><a href="${base}/deals/${id}">${title || '—'}</a></p>${
    contact && contact !== title ? html`<p>${contact}</p>` : null
  }${amount ? html`<p>${amount}</p>` : null}${
    owner ? html`<p class="soft">${texts.owner}: ${owner}</p>` : null
  }${page.may('pipelines.move') && others.length > 0 ? moving : null}</li>`;
}

/** The value of a deal; "" if it has none. */
export function amountOf(
  { lang }: Pick<Page, 'lang'>,
  { value_cents: cents, currency }: Pick<Deal, 'value_cents' | 'currency'>,
): string {
  if (cents === null) return '';
  return new Intl.NumberFormat(lang, { style: 'currency', currency }).format(cents / 100);
}
