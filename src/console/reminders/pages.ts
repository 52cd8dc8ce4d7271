import { getNumber } from '../../numbers/reading.ts';
import { type Html, html } from '../../pages/html.ts';
import { badge, knownFacts, linkButton, notice, table } from '../../pages/parts.ts';
import { cancelReminder } from '../../reminders/cancelling.ts';
import { getReminder, listReminders, listRuns } from '../../reminders/reading.ts';
import { REMINDER_STATUSES } from '../../reminders/rules.ts';
import { bar, crumbs, toNew } from '../frame/heading.ts';
import { type ConsolePage, type Done, idOf, type Page } from '../page.ts';
import { askFirst } from '../parts/form.ts';
import { allOrOne, chips, following, listed, oneOf, pageAfter } from '../parts/listing.ts';
import { narrowedTo, recordIn, segmentNarrowing } from '../parts/narrowing.ts';
import { reasonsText } from './reasons.ts';
import { runPage } from './run.ts';
import { REMINDERS } from './texts.ts';
import { audienceText, contactText, type Reminder } from './whom.ts';
import { editReminderPage, newReminderPage } from './writing.ts';

const statusOf = ({ lang }: Page, { status }: Reminder): Html =>
  badge(REMINDERS[lang].statuses[status], status === 'active' ? 'good' : 'plain');

const remindersPage: ConsolePage = {
  path: '/reminders',
  permission: 'reminders.read',
  nav: { group: 'work', name: (lang) => REMINDERS[lang].nav },
  view: async (page) => {
    const texts = REMINDERS[page.lang];
    const status = oneOf(page, 'status', REMINDER_STATUSES);
    const contact_id = recordIn(page, 'contact_id', 'con');
    const segment_id = recordIn(page, 'segment_id', 'seg');
    const filters = { status, contact_id, segment_id };
    const { data, next } = await listReminders(page.ctx, filters, pageAfter(page, 'rem'));
    return {
      title: texts.nav,
      content: html`${bar(texts.nav, toNew(page, 'reminders.create', texts.create))}
${await contactNarrowing(page, contact_id)}${await segmentNarrowing(page, segment_id, texts)}
${chips(page, 'status', allOrOne(texts.all, REMINDER_STATUSES, texts.statuses), texts.status)}
${listed(
  page,
  texts,
  data.map((one) => [
    html`<a href="${page.base}/reminders/${one.id}">${one.title}</a>`,
    statusOf(page, one),
    texts.repeats[one.repeat],
    one.next_run_at ? page.format.time(one.next_run_at) : null,
  ]),
  next,
)}`,
    };
  },
};

async function contactNarrowing(page: Page, id: string | undefined): Promise<Html | null> {
  if (id === undefined) return null;
  const { audience: label, all } = REMINDERS[page.lang];
  return narrowedTo(page, 'contact_id', { label, record: await contactText(page, id), all });
}

/** A reminder, what it sent, and cancelling it. */
const reminderPage: ConsolePage = {
  path: '/reminders/:id',
  id: 'rem',
  permission: 'reminders.read',
  view: async (page) => {
    const texts = REMINDERS[page.lang];
    const one = await getReminder(page.ctx, idOf(page));
    const { name, phone } = await getNumber(page.ctx, one.number_id);
    const { next_run_at: next, cancel_reason: reason } = one;
    return {
      title: one.title,
      content: html`${crumbs(page, ['/reminders', texts.nav])}
${bar(one.title, statusOf(page, one))}
${reason && notice(texts.cancelReasons[reason], 'plain')}
${knownFacts([
  [texts.number, [name, phone].filter(Boolean).join(', ')],
  [texts.text, html`<span class="written">${one.text}</span>`],
  [texts.audience, await audienceText(page, one)],
  [texts.repeat, `${texts.repeats[one.repeat]}, ${one.time} (${one.time_zone})`],
  ...day(page, one),
  [texts.endsOn, one.ends_on && page.format.date(one.ends_on)],
  [texts.transactional, one.transactional ? '✓' : null],
  [texts.next, next && page.format.time(next)],
])}
${one.status === 'active' && page.may('reminders.create') ? steering(page) : null}
${await runs(page)}`,
    };
  },
  actions: {
    cancel: {
      permission: 'reminders.create',
      once: true,
      run: async (page): Promise<Done> => {
        await cancelReminder(page.ctx, idOf(page));
        const { cancelled } = REMINDERS[page.lang];
        return { to: `/reminders/${idOf(page)}`, flash: { text: cancelled } };
      },
    },
  },
};

/** The day of a repeat that has one. */
function day(page: Page, { date, weekday, month_day }: Reminder): [string, string][] {
  const texts = REMINDERS[page.lang];
  if (weekday !== null) return [[texts.weekday, page.format.weekday(weekday)]];
  if (month_day !== null) return [[texts.monthDay, String(month_day)]];
  return date === null ? [] : [[texts.date, page.format.date(date)]];
}

function steering(page: Page): Html {
  const { edit, cancel: label, cancelLead: lead } = REMINDERS[page.lang];
  return html`<div class="actions">${linkButton(`${page.path}/edit`, edit, true)}
${askFirst(page, 'cancel', { label, lead, danger: true })}</div>`;
}

async function runs(page: Page): Promise<Html> {
  const texts = REMINDERS[page.lang];
  const { number, time } = page.format;
  const { data, next } = await listRuns(page.ctx, idOf(page), pageAfter(page, 'rrn'));
  return html`<h2>${texts.runs}</h2>${table({
    caption: texts.runs,
    columns: texts.runColumns,
    none: texts.noRuns,
    rows: data.map((run) => [
      html`<a href="${page.path}/runs/${run.id}">${time(run.scheduled_for)}</a>`,
      texts.runStatuses[run.status],
      number(run.recipients),
      number(run.sent),
      number(run.failed),
      reasonsText(page, run.reasons),
    ]),
  })}${following(page, next)}`;
}

export const reminderPages: readonly ConsolePage[] = [
  remindersPage,
  newReminderPage,
  reminderPage,
  editReminderPage,
  runPage,
];
