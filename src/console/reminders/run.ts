import { html } from '../../pages/html.ts';
import { badge, table } from '../../pages/parts.ts';
import { findRun, getReminder, listRunRecipients } from '../../reminders/reading.ts';
import { RUN_RECIPIENT_STATUSES } from '../../reminders/rules.ts';
import { CAMPAIGNS } from '../campaigns/texts.ts';
import { bar, crumbs } from '../frame/heading.ts';
import { type ConsolePage, idOf, partOf } from '../page.ts';
import { allOrOne, chips, following, oneOf, pageAfter } from '../parts/listing.ts';
import { recipientNames } from '../parts/recipients.ts';
import { reasonText } from './reasons.ts';
import { REMINDERS } from './texts.ts';

/** One run of a reminder: what became of each whom it was for. */
export const runPage: ConsolePage = {
  path: '/reminders/:id/runs/:part',
  id: 'rem',
  part: 'rrn',
  permission: 'reminders.read',
  view: async (page) => {
    const texts = REMINDERS[page.lang];
    const shared = CAMPAIGNS[page.lang];
    const reminderId = idOf(page);
    const runId = partOf(page);
    const reminder = await getReminder(page.ctx, reminderId);
    const run = await findRun(page.ctx, reminderId, runId);
    const title = texts.runOf(page.format.time(run.scheduled_for));
    const status = oneOf(page, 'status', RUN_RECIPIENT_STATUSES);
    const asked = { reminderId, runId, status };
    const { data, next } = await listRunRecipients(page.ctx, asked, pageAfter(page, 'con'));
    const unknown = reminder.target === 'phone' ? (reminder.phone ?? shared.gone) : shared.gone;
    const nameOf = await recipientNames(page, data, unknown);
    const outcomes = { ...shared.outcomes, queued: shared.outcomes.sending };
    const [name, , result, reason] = shared.recipientColumns;
    return {
      title: `${reminder.title}: ${title}`,
      content: html`${crumbs(page, ['/reminders', texts.nav], [`/reminders/${reminderId}`, reminder.title])}
${bar(title, badge(texts.runStatuses[run.status], 'plain'))}
${chips(page, 'status', allOrOne(shared.all, RUN_RECIPIENT_STATUSES, outcomes), shared.results)}
${table({
  caption: shared.recipients,
  columns: [name, result, reason],
  none: shared.noRecipients,
  rows: data.map((one) => [
    nameOf(one),
    outcomes[one.status],
    one.reason === null ? null : reasonText(page.lang, one.reason),
  ]),
})}${following(page, next)}`,
    };
  },
};
