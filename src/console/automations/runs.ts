import { listRuns } from '../../automations/reading.ts';
import { RUN_STATUSES, type RunStatus } from '../../automations/rules.ts';
import { contactNames, type NamedContact, nameOfContact } from '../../contacts/names.ts';
import { type Html, html } from '../../pages/html.ts';
import { badge, type Tone, table } from '../../pages/parts.ts';
import { asksAgain } from '../frame/live.ts';
import { idOf, type Page } from '../page.ts';
import { allOrOne, chips, following, oneOf, pageAfter } from '../parts/listing.ts';
import { AUTOMATIONS } from './texts.ts';
import { versionLink } from './versions.ts';

type Run = Awaited<ReturnType<typeof listRuns>>['data'][number];

const TONES: Readonly<Record<RunStatus, Tone>> = {
  running: 'plain',
  waiting: 'plain',
  succeeded: 'good',
  failed: 'bad',
  cancelled: 'warn',
  handed_over: 'good',
};

export const runBadge = ({ lang }: Page, status: RunStatus): Html =>
  badge(AUTOMATIONS[lang].runStatuses[status], TONES[status]);

/** The contact, if it still exists. */
export function contactLink(
  { base, lang }: Page,
  id: string | null,
  contact: NamedContact | undefined,
): Html | string {
  if (id === null || !contact) return AUTOMATIONS[lang].gone;
  return html`<a href="${base}/contacts/${id}">${nameOfContact(contact)}</a>`;
}

/**
 * The runs that the person may see, newest first. It always refreshes itself, because the next one may begin at any moment.
 *
 * @param facts about all of them
 */
export async function runsSection(page: Page, facts: Html): Promise<Html> {
  const texts = AUTOMATIONS[page.lang];
  const status = oneOf(page, 'status', RUN_STATUSES);
  const { data, next } = await listRuns(page.ctx, idOf(page), { status }, pageAfter(page, 'run'));
  const ids = data.flatMap(({ contact_id: id }) => id ?? []);
  const names = await contactNames(page.ctx, ids);
  return html`<section id="runs"${asksAgain(page, { id: 'runs', seconds: 5 })}><h2>${texts.runs}</h2>
${facts}
${chips(page, 'status', allOrOne(texts.all, RUN_STATUSES, texts.runStatuses), texts.runs)}
${table({
  caption: texts.runs,
  columns: texts.runColumns,
  none: texts.noRuns,
  rows: data.map((run) => rowOf(page, run, names)),
})}${following(page, next)}</section>`;
}

function rowOf(page: Page, run: Run, names: ReadonlyMap<string, NamedContact>) {
  const { base, format } = page;
  const { id, automation_id: automation, contact_id: contact, started_at: began, error } = run;
  const why = error ? html` <small>${AUTOMATIONS[page.lang].failures[error.code]}</small>` : null;
  return [
    html`<a href="${base}/automations/${automation}/runs/${id}">${format.time(began)}</a>`,
    contactLink(page, contact, names.get(contact ?? '')),
    html`${runBadge(page, run.status)}${why}`,
    run.current_step_id ? html`<code>${run.current_step_id}</code>` : '',
    endOf(page, run),
    versionLink(page, automation, run.version),
  ];
}

/** When it ended, or until when it waits. */
export function endOf(
  { lang, format }: Page,
  { finished_at: end, wait_until: until }: Run,
): string {
  if (end) return format.time(end);
  return until ? AUTOMATIONS[lang].until(format.time(until)) : '';
}
