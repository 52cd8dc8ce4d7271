import type { FieldProblem } from '../../errors.ts';
import { type Html, html } from '../../pages/html.ts';
import { barChart, definitions, figures, table } from '../../pages/parts.ts';
import type { automationReport } from '../../reports/automation.ts';
import type { numbersReport } from '../../reports/numbers.ts';
import type { ConsolePage, Page } from '../page.ts';
import { chips } from '../parts/listing.ts';
import { ownDates, reportOf } from './dates.ts';
import { REPORTS, SPANS } from './texts.ts';

type Numbers = Awaited<ReturnType<typeof numbersReport>>;
type Automation = Awaited<ReturnType<typeof automationReport>>;
type Range = Numbers['range'];

/** What was sent and its outcome, compared with the period before. */
const reportsPage: ConsolePage = {
  path: '/reports',
  permission: 'numbers.read',
  nav: { group: 'work', name: (lang) => REPORTS[lang].nav },
  view: async (page) => {
    const { report, problems } = await reportOf<Numbers>(page, 'get_numbers_report');
    const { nav } = REPORTS[page.lang];
    const content = html`${head(page, report?.range ?? null, problems)}${report && sending(page, report)}`;
    return { title: nav, content };
  },
};

/** A separate page, because each report needs as much time as one page may take. */
const automationsPage: ConsolePage = {
  path: '/reports/automations',
  permission: 'automations.read',
  view: async (page) => {
    const { report, problems } = await reportOf<Automation>(page, 'get_automation_report');
    const { nav } = REPORTS[page.lang];
    const content = html`${head(page, report?.range ?? null, problems)}${report && automations(page, report)}`;
    return { title: nav, content };
  },
};

function head(page: Page, shown: Range | null, problems: readonly FieldProblem[]): Html {
  const texts = REPORTS[page.lang];
  const spans = SPANS.map((span) => [span === '30d' ? '' : span, texts.spans[span]] as const);
  const both = [
    [reportsPage, texts.sending],
    [automationsPage, texts.automations],
  ] as const;
  const query = page.query.size === 0 ? '' : `?${page.query}`;
  const links = both.flatMap(([{ path, permission }, name]) => {
    if (permission && !page.may(permission)) return [];
    const here = page.path === page.base + path ? html` aria-current="page"` : null;
    return [html`<li><a href="${page.base}${path}${query}"${here}>${name}</a></li>`];
  });
  return html`<h1>${texts.nav}</h1>
<nav aria-label="${texts.nav}"><ul class="filters">${links}</ul></nav>
${chips(page, 'period', spans, texts.period)}
${ownDates(page, shown, problems)}
${shown && html`<p class="soft">${texts.range(page.format.date(shown.from), page.format.date(shown.to))}</p>`}`;
}

function sending(page: Page, report: Numbers): Html {
  const texts = REPORTS[page.lang];
  const { number, date } = page.format;
  const { attempted, delivered, lost, previous } = report;
  // A number's daily figures count what became of the messages of that day, whenever it did.
  const bars = report.days.map((day, i) => {
    const value = report.numbers.reduce((sum, { days }) => sum + (days[i] ?? 0), 0);
    return { label: date(day), value, text: number(value) };
  });
  const named = Object.values(report.reasons).reduce((sum, count) => sum + count, 0);
  const reasons = Object.entries({ ...report.reasons, other: lost - named }).flatMap(
    ([reason, count]): [string, string][] =>
      count === 0 ? [] : [[texts.reasons[reason as keyof typeof texts.reasons], number(count)]],
  );
  return html`<section><h2>${texts.sending}</h2>${figures([
    figure(page, texts.attempted, attempted, previous.attempted),
    figure(page, texts.delivered, delivered, previous.delivered),
    figure(page, texts.lost, lost, previous.lost),
    figure(page, texts.underWay, underWay(report), underWay(previous)),
  ])}${barChart(texts.perDay, bars, { columns: [texts.day, texts.messages], asTable: texts.asTable })}
${reasons.length === 0 ? null : html`<h3>${texts.whyLost}</h3>${definitions(reasons)}`}
${table({
  caption: texts.numbers,
  columns: [texts.number, texts.attempted, texts.delivered],
  rows: report.numbers.map((one) => [one.name, number(one.attempted), number(one.delivered)]),
})}</section>`;
}

/** What neither arrived nor was lost, as far as we know. */
const underWay = ({ attempted, delivered, lost }: Numbers['previous']): number =>
  attempted - delivered - lost;

const figure = ({ lang, format }: Page, name: string, value: number, before: number) => ({
  name,
  value: format.number(value),
  note: REPORTS[lang].before(format.number(before)),
});

function automations(page: Page, report: Automation): Html {
  const texts = REPORTS[page.lang];
  const { number, date } = page.format;
  const { previous, saved } = report;
  const bars = report.days.map(({ day, automated }) => ({
    label: date(day),
    value: automated,
    text: number(automated),
  }));
  return html`<section><h2>${texts.automations}</h2>${figures([
    figure(page, texts.conversations, report.count, previous.count),
    figure(page, texts.withoutAgent, report.without_agent, previous.without_agent),
    figure(page, texts.aiReplies, report.ai_replies, previous.ai_replies),
    figure(page, texts.handedOver, report.handed_over, previous.handed_over),
    {
      name: texts.saved,
      value: texts.minutes(number(saved.minutes)),
      note: texts.before(texts.minutes(number(previous.saved_minutes))),
    },
  ])}${barChart(texts.automatedPerDay, bars, { columns: [texts.day, texts.messages], asTable: texts.asTable })}
${table({
  caption: texts.automations,
  columns: texts.runs,
  none: texts.nothing,
  rows: report.automations.map((one) => [
    html`<a href="${page.base}/automations/${one.id}">${one.name}</a>`,
    number(one.runs),
    number(one.succeeded),
    number(one.failed),
  ]),
})}${
  report.questions.length === 0
    ? null
    : html`<h3>${texts.questions}</h3>${table({
        caption: texts.questions,
        columns: texts.question,
        rows: report.questions.map(({ text, count }) => [text, number(count)]),
      })}`
}</section>`;
}

export const reportPages: readonly ConsolePage[] = [reportsPage, automationsPage];
