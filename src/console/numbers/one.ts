import { dailyLimitOf } from '../../campaigns/limits/daily-limit.ts';
import { teamSettings } from '../../members/reading.ts';
import { getNumber } from '../../numbers/reading.ts';
import { type Html, html } from '../../pages/html.ts';
import { type Fact, knownFacts } from '../../pages/parts.ts';
import { listPipelines } from '../../pipelines/reading.ts';
import { bar, crumbs } from '../frame/heading.ts';
import { type ConsolePage, idOf, type Page } from '../page.ts';
import { form } from '../parts/form.ts';
import { EVERYBODY } from '../parts/listing.ts';
import { causeText } from './causes.ts';
import { hoursText } from './hours.ts';
import { statusBadge, type WhatsAppNumber } from './list.ts';
import { NUMBERS } from './texts.ts';
import { type Around, fields, save } from './writing.ts';

/** A number: its state, and who answers on it and when. */
export const numberPage: ConsolePage = {
  path: '/numbers/:id',
  id: 'num',
  permission: 'numbers.read',
  view: async (page) => {
    const texts = NUMBERS[page.lang];
    const one = await getNumber(page.ctx, idOf(page));
    const around = await aroundOf(page);
    const limit = await dailyLimitOf(page.ctx, one.id);
    return {
      title: one.name,
      content: html`${crumbs(page, ['/numbers', texts.nav])}
${bar(one.name, statusBadge(page, one))}
${knownFacts(factsOf(page, { ...one, limit }, around))}
${page.may('numbers.manage') ? html`<h2>${texts.change}</h2>${form(page, 'save', fields(page, one, around))}` : null}`,
    };
  },
  actions: { save },
};

async function aroundOf(page: Page): Promise<Around> {
  const { data } = await listPipelines(page.ctx, EVERYBODY);
  return {
    teams: await teamSettings(page.ctx),
    stages: data.flatMap(({ name: pipeline, stages }) =>
      stages.map(({ id, name }) => ({ id, name: `${pipeline}: ${name}` })),
    ),
  };
}

function factsOf(
  page: Page,
  one: WhatsAppNumber & { readonly limit: number | null },
  around: Around,
): Fact[] {
  const texts = NUMBERS[page.lang];
  return [
    [texts.phone, one.phone],
    [texts.provider, texts.providers[one.provider]],
    [texts.since, page.format.time(one.status_changed_at)],
    [texts.reason, one.status_reason && reasonOf(page, one.status_reason)],
    [texts.dailyLimit, one.limit === null ? null : page.format.number(one.limit)],
    // For those who can change these, they stand in the form.
    ...(page.may('numbers.manage') ? [] : settingsOf(page, one, around)),
  ];
}

const reasonOf = ({ lang }: Page, reason: string): Html | string =>
  causeText(lang, reason) ?? html`<code>${reason}</code>`;

function settingsOf(page: Page, one: WhatsAppNumber, { teams, stages }: Around): Fact[] {
  const texts = NUMBERS[page.lang];
  const own = teams.filter(({ id }) => one.team_ids.includes(id));
  return [
    [texts.teams, own.map(({ name }) => name).join(', ')],
    [texts.defaultTeam, teams.find(({ id }) => id === one.default_team_id)?.name],
    [texts.stage, stages.find(({ id }) => id === one.stage_id)?.name],
    [texts.hours, hoursText(page, one.hours)],
  ];
}
