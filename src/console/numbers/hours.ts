import { type DayHours, WEEKDAYS } from '../../numbers/rules.ts';
import { checkbox, fieldsPlace, onlyFor, selectField, textField } from '../../pages/fields.ts';
import { type Html, html } from '../../pages/html.ts';
import { field, type Page } from '../page.ts';
import { changedIn } from '../parts/as-shown.ts';
import { NUMBERS } from './texts.ts';

type Hours = readonly DayHours[] | null;

/** What a number that was always open is offered first. */
const USUAL: readonly DayHours[] = Array.from({ length: WEEKDAYS }, (_, i) => ({
  open: i < 5,
  from: '09:00',
  to: '18:00',
}));

const days = Array.from({ length: WEEKDAYS }, (_, i) => i);

/** The hours as the form's fields have them. */
export const hoursKept = (hours: Hours): Record<string, string> => ({
  schedule: scheduleOf(hours),
  ...Object.assign(
    {},
    ...(hours ?? USUAL).map(({ open, from, to }, i) => ({
      [`open_${i}`]: open ? 'on' : '',
      [`from_${i}`]: from,
      [`to_${i}`]: to,
    })),
  ),
});

/** Whether the number keeps to a week. */
export const scheduleOf = (hours: Hours): 'always' | 'weekly' =>
  hours === null ? 'always' : 'weekly';

/** Whether the person changed something of the week, or whether there is one. */
export const hoursChanged = (page: Pick<Page, 'sent'>): boolean =>
  Object.keys(changedIn(page, hoursKept(null))).length > 0;

/**
 * The week with the days that the person changed in the form, the others as they are now; all as they were sent where
 * nothing is stored.
 */
export function hoursAfter(page: Pick<Page, 'sent'>, stored: Hours): DayHours[] | null {
  const changed = changedIn(page, hoursKept(stored));
  const isShown = (i: number): boolean =>
    !['open', 'from', 'to'].some((name) => Object.hasOwn(changed, `${name}_${i}`));
  return hoursSent(page)?.map((sent, i) => (isShown(i) ? stored?.[i] : undefined) ?? sent) ?? null;
}

/** The same as they were sent. A closed day needs no times. */
function hoursSent(page: Pick<Page, 'sent'>): DayHours[] | null {
  if (field(page, 'schedule') !== 'weekly') return null;
  return days.map((i) => {
    const open = field(page, `open_${i}`) === 'on';
    const time = (name: string): string => field(page, `${name}_${i}`) || (open ? '' : '00:00');
    return { open, from: time('from'), to: time('to') };
  });
}

/** @param shown the value of a field */
export function hoursFields(page: Page, shown: (name: string) => string): Html {
  const texts = NUMBERS[page.lang];
  const choice = selectField({
    name: 'schedule',
    label: texts.hours,
    value: shown('schedule'),
    options: (['always', 'weekly'] as const).map((value) => ({
      value,
      label: texts.schedules[value],
    })),
  });
  const rows = days.map((i) => dayFields(page, shown, i));
  return html`${choice}${onlyFor('weekly', html`<div${fieldsPlace('hours', texts.hours)}><p class="hint">${texts.hoursHint}</p>${rows}</div>`)}`;
}

function dayFields(page: Page, shown: (name: string) => string, i: number): Html {
  const texts = NUMBERS[page.lang];
  const time = (name: 'from' | 'to'): Html =>
    textField({
      name: `${name}_${i}`,
      label: texts[name],
      type: 'time',
      value: shown(`${name}_${i}`),
      error: page.faults.find(({ path }) => path === `hours[${i}].${name}`)?.text,
    });
  const open = { name: `open_${i}`, value: 'on', label: texts.open };
  return html`<fieldset class="day"><legend>${page.format.weekday(i + 1)}</legend>${checkbox({ ...open, checked: shown(`open_${i}`) === 'on' })}${time('from')}${time('to')}</fieldset>`;
}

/** For those who only read them: one line a day. */
export function hoursText({ lang, format }: Page, hours: Hours): Html | string {
  const texts = NUMBERS[lang];
  if (hours === null) return texts.schedules.always;
  return html`${hours.map(({ open, from, to }, i) => {
    const times = from === to ? texts.allDay : texts.between(from, to);
    return html`${i > 0 ? html`<br>` : null}${format.weekday(i + 1)}: ${open ? times : texts.closed}`;
  })}`;
}
