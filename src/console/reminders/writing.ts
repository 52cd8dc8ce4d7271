import type { Context } from '../../context.ts';
import { listNumbers } from '../../numbers/reading.ts';
import { type Html, html } from '../../pages/html.ts';
import { notice } from '../../pages/parts.ts';
import { getReminder, writtenReminder } from '../../reminders/reading.ts';
import { lockActive } from '../../reminders/service.ts';
import { call } from '../calling.ts';
import { crumbs } from '../frame/heading.ts';
import { type ConsolePage, type Done, idOf, type Page } from '../page.ts';
import { asSeen, seenField } from '../parts/as-seen.ts';
import { audienceProblems } from '../parts/audience-choice.ts';
import { find } from '../parts/contact-choice.ts';
import { form } from '../parts/form.ts';
import { CHOICES } from '../parts/listing.ts';
import { noNumber } from '../parts/no-number.ts';
import { bodyOf, emptyValues, reminderFields, type Values, valuesOf } from './fields.ts';
import { REMINDERS } from './texts.ts';
import { addresseesOf, withChosen } from './whom.ts';

/** The same fields for creating a reminder and for changing it. */
async function writing(page: Page, action: string, kept: Values): Promise<Html> {
  const numbers = (await listNumbers(page.ctx, CHOICES)).data;
  const known = numbers.map(({ id, name }) => ({ value: id, label: name }));
  if (numbers.length === 0 && kept.number_id === '')
    return noNumber(page, REMINDERS[page.lang].nothingToSend);
  const choices = {
    numbers: withChosen(known, kept.number_id),
    windowed: numbers.flatMap(({ name, capabilities }) => (capabilities.window_24h ? [name] : [])),
    audiences: withChosen(await addresseesOf(page), kept.audience),
  };
  const seen = action === 'save' ? seenField(page, kept) : null;
  return form(page, action, html`${seen}${await reminderFields(page, kept, choices)}`);
}

export const newReminderPage: ConsolePage = {
  path: '/reminders/new',
  permission: 'reminders.create',
  view: async (page) => {
    const texts = REMINDERS[page.lang];
    return {
      title: texts.create,
      content: html`${crumbs(page, ['/reminders', texts.nav])}<h1>${texts.create}</h1>
${await writing(page, 'create', emptyValues(page))}`,
    };
  },
  actions: {
    find,
    create: {
      permission: 'reminders.create',
      once: true,
      run: async (page): Promise<Done> => {
        const { id } = await call<{ id: string }>(page, 'create_reminder', { body: bodyOf(page) });
        return { to: `/reminders/${id}`, flash: { text: REMINDERS[page.lang].created } };
      },
      problemsAt: audienceProblems('contact_id'),
    },
  },
};

const lockedValues =
  (id: string) =>
  async (ctx: Context): Promise<Values> => {
    await lockActive(ctx, id);
    return valuesOf(await writtenReminder(ctx, id));
  };

export const editReminderPage: ConsolePage = {
  path: '/reminders/:id/edit',
  id: 'rem',
  permission: 'reminders.create',
  view: async (page) => {
    const texts = REMINDERS[page.lang];
    const one = await getReminder(page.ctx, idOf(page));
    const isOver = one.status !== 'active';
    return {
      title: `${texts.edit}: ${one.title}`,
      content: html`${crumbs(page, ['/reminders', texts.nav], [`/reminders/${one.id}`, one.title])}<h1>${texts.edit}</h1>
${isOver ? notice(texts.over, 'warn') : html`<p class="soft">${texts.editLead}</p>`}
${isOver && page.sent.size === 0 ? null : await writing(page, 'save', valuesOf(one))}`,
    };
  },
  actions: {
    find,
    save: {
      permission: 'reminders.create',
      once: true,
      run: async (page: Page<Context>): Promise<Done> => {
        const id = idOf(page);
        const body = bodyOf(page);
        await asSeen(page, { stored: lockedValues(id), for: 'written' }, (seen) =>
          call(seen, 'update_reminder', { id, body }),
        );
        return { to: `/reminders/${id}`, flash: { text: REMINDERS[page.lang].saved } };
      },
      problemsAt: audienceProblems('contact_id'),
    },
  },
};
