import { selectField, textField } from '../../pages/fields.ts';
import { type Html, html } from '../../pages/html.ts';
import { badge, type Fact, knownFacts, table } from '../../pages/parts.ts';
import { getDeal, getPipeline, listDeals } from '../../pipelines/reading.ts';
import { call } from '../calling.ts';
import { bar, crumbs } from '../frame/heading.ts';
import { atNewest } from '../inbox/address.ts';
import { type ConsolePage, type Done, field, idOf, type Page, wasRefused } from '../page.ts';
import { contactChoice, find } from '../parts/contact-choice.ts';
import { asSent, form } from '../parts/form.ts';
import { chips, following, pageAfter } from '../parts/listing.ts';
import { ownersFor } from '../parts/owners.ts';
import { amountOf } from './board.ts';
import { centsIn, change, changing, currencyIn, deletion, worth } from './changing.ts';
import { PIPELINES } from './texts.ts';
import { namesIn } from './who.ts';

type Deal = Awaited<ReturnType<typeof getDeal>>;

/** The deals of a pipeline as a list, optionally of one stage. */
export const dealsPage: ConsolePage = {
  path: '/pipelines/:id/deals',
  id: 'pip',
  permission: 'pipelines.read',
  view: async (page) => {
    const texts = PIPELINES[page.lang];
    const { name, stages } = await getPipeline(page.ctx, idOf(page));
    const stage = stages.find(({ id }) => id === page.query.get('stage'));
    const filters = stage ? { stage_id: stage.id } : {};
    const after = pageAfter(page, 'dea');
    const { data, next } = await listDeals(page.ctx, idOf(page), filters, after);
    const names = new Map(stages.map((one) => [one.id, one.name]));
    const who = await namesIn(page, data);
    const rows = data.map((deal) => [
      html`<a href="${page.base}/deals/${deal.id}">${deal.title || '—'}</a>`,
      who(deal).contact,
      names.get(deal.stage_id) ?? null,
      amountOf(page, deal),
      who(deal).owner,
      page.format.day(deal.stage_entered_at),
    ]);
    return {
      title: texts.deals,
      content: html`${crumbs(page, [`/pipelines/${idOf(page)}`, name])}<h1>${texts.deals}</h1>
${chips(page, 'stage', [['', texts.all], ...stages.map((one) => [one.id, one.name] as const)], texts.stage)}
${table({ caption: texts.deals, columns: texts.dealColumns, none: texts.noDeals, rows })}
${following(page, next)}`,
    };
  },
};

export const newDealPage: ConsolePage = {
  path: '/pipelines/:id/deals/new',
  id: 'pip',
  permission: 'pipelines.move',
  view: async (page) => {
    const texts = PIPELINES[page.lang];
    const { id, name, stages } = await getPipeline(page.ctx, idOf(page));
    const choice = await contactChoice(page, {
      type: 'radio',
      error: page.problems.get('contact_id'),
    });
    const options = stages.map((stage) => ({ value: stage.id, label: stage.name }));
    return {
      title: texts.newDeal,
      content: html`${crumbs(page, [`/pipelines/${id}`, name])}<h1>${texts.newDeal}</h1>
${form(
  page,
  'create',
  html`${choice}
${selectField({ ...asSent(page, 'stage_id'), label: texts.stage, options })}
${textField({ ...asSent(page, 'title'), label: texts.title, hint: texts.titleHint, maxLength: 120 })}
${worth(page, asSent(page, 'value_cents'), await currencyAt(page, id))}
${selectField({ ...asSent(page, 'owner_id'), label: texts.owner, options: await ownersFor(page, null) })}
<button>${texts.saveDeal}</button>`,
)}`,
    };
  },
  actions: {
    find,
    create: {
      permission: 'pipelines.move',
      once: true,
      problemsAt: { unknown_member: 'owner_id' },
      run: async (page): Promise<Done> => {
        const title = field(page, 'title').trim();
        const body = {
          contact_id: field(page, 'contact_id'),
          stage_id: field(page, 'stage_id'),
          value_cents: centsIn(page),
          currency: currencyIn(page),
          owner_id: field(page, 'owner_id') || null,
          ...(title === '' ? {} : { title }),
        };
        const { id } = await call<{ id: string }>(page, 'create_deal', { body });
        return { to: `/deals/${id}`, flash: { text: PIPELINES[page.lang].dealSaved } };
      },
    },
  },
};

/** As it was sent; before, that of the pipeline's latest deal. */
async function currencyAt(page: Page, pipelineId: string) {
  const sent = asSent(page, 'currency');
  if (page.sent.has('currency')) return sent;
  const { data } = await listDeals(page.ctx, pipelineId, {}, { limit: 1, after: null });
  return { ...sent, value: data[0]?.currency ?? 'BRL' };
}

/** A deal: moving it to another stage, changing and deleting it. */
export const dealPage: ConsolePage = {
  path: '/deals/:id',
  id: 'dea',
  permission: 'pipelines.read',
  view: async (page) => {
    const deal = await getDeal(page.ctx, idOf(page));
    const { id, name, stages } = await getPipeline(page.ctx, deal.pipeline_id);
    const stage = stages.find((one) => one.id === deal.stage_id);
    const options = stages.map((one) => ({ value: one.id, label: one.name }));
    return {
      title: deal.title,
      content: html`${crumbs(page, [`/pipelines/${id}`, name])}
${bar(deal.title || '—', badge(stage?.name ?? ''))}
${knownFacts(await factsOf(page, deal))}
${page.may('pipelines.move') ? html`${moving(page, deal, options)}${await changing(page, deal)}` : null}`,
    };
  },
  actions: {
    change,
    delete: deletion,
    move: {
      permission: 'pipelines.move',
      run: async (page): Promise<Done> => {
        const reason = field(page, 'lost_reason').trim();
        const body = {
          stage_id: field(page, 'stage_id'),
          ...(reason === '' ? {} : { lost_reason: reason }),
        };
        await call(page, 'move_deal', { id: idOf(page), body });
        return { to: `/deals/${idOf(page)}`, flash: { text: PIPELINES[page.lang].dealMoved } };
      },
    },
  },
};

async function factsOf(page: Page, deal: Deal): Promise<Fact[]> {
  const texts = PIPELINES[page.lang];
  const { contact, owner } = (await namesIn(page, [deal]))(deal);
  const { conversation_id: conversation, closed_at: closed, lost_reason: reason } = deal;
  return [
    [
      texts.contact,
      html`<a href="${page.base}/contacts/${deal.contact_id}">${contact || deal.contact_id}</a>`,
    ],
    [texts.amount, amountOf(page, deal)],
    [texts.owner, owner || texts.nobody],
    [texts.since, page.format.time(deal.stage_entered_at)],
    [texts.closed, closed && page.format.time(closed)],
    [texts.reason, reason],
    [
      texts.conversation,
      conversation &&
        html`<a href="${page.base}${atNewest(conversation)}">${texts.conversation}</a>`,
    ],
  ];
}

function moving(
  page: Page,
  deal: Deal,
  options: readonly { readonly value: string; readonly label: string }[],
): Html {
  const texts = PIPELINES[page.lang];
  const stage = selectField({
    name: 'stage_id',
    label: texts.stage,
    value: wasRefused(page, 'move') ? field(page, 'stage_id') : deal.stage_id,
    error: page.problems.get('stage_id'),
    options,
  });
  const reason = textField({
    ...asSent(page, 'lost_reason'),
    label: texts.reason,
    hint: texts.reasonHint,
    maxLength: 500,
  });
  return html`<h2>${texts.moveDeal}</h2>${form(page, 'move', html`${stage}${reason}<button>${texts.moveDeal}</button>`)}`;
}
