import {
  areaField,
  checkbox,
  type Option,
  onlyFor,
  selectField,
  textField,
} from '../../pages/fields.ts';
import { type Html, html } from '../../pages/html.ts';
import { REPEATS } from '../../reminders/rules.ts';
import { field, type Page } from '../page.ts';
import { contactChoice } from '../parts/contact-choice.ts';
import { asKept } from '../parts/form.ts';
import { REMINDERS } from './texts.ts';
import { audienceOf, type Reminder } from './whom.ts';

const NAMES = [
  'title',
  'number_id',
  'audience',
  'phone',
  'contact_id',
  'text',
  'repeat',
  'date',
  'weekday',
  'month_day',
  'time',
  'time_zone',
  'ends_on',
  'transactional',
] as const;
type Name = (typeof NAMES)[number];
export type Values = Readonly<Record<Name, string>>;

/** For a form not yet filled in. */
export const emptyValues = ({ workspace, query }: Page): Values => {
  const contact = query.get('contact') ?? '';
  return {
    ...(Object.fromEntries(NAMES.map((name) => [name, ''])) as Record<Name, string>),
    audience: contact === '' ? '' : 'contact',
    contact_id: contact,
    time_zone: workspace.timeZone,
  };
};

export const valuesOf = (one: Reminder): Values => ({
  title: one.title,
  number_id: one.number_id,
  audience: audienceOf(one),
  phone: one.phone ?? '',
  contact_id: one.contact_id ?? '',
  text: one.text,
  repeat: one.repeat,
  date: one.date ?? '',
  weekday: String(one.weekday ?? ''),
  month_day: String(one.month_day ?? ''),
  time: one.time,
  time_zone: one.time_zone,
  ends_on: one.ends_on ?? '',
  transactional: one.transactional ? 'yes' : '',
});

const given = (page: Page, name: Name): string | null => field(page, name).trim() || null;

const numberIn = (page: Page, name: Name): number | null => {
  const text = given(page, name);
  return text === null ? null : Number(text);
};

/**
 * Fields that the chosen audience and repetition do not use become null, because the page contains the fields for all
 * of them.
 */
export function bodyOf(page: Page): Record<string, unknown> {
  const [target = '', id = ''] = field(page, 'audience').split(':');
  const repeat = target === 'birthday' ? 'yearly' : field(page, 'repeat');
  return {
    title: field(page, 'title'),
    text: field(page, 'text'),
    number_id: field(page, 'number_id'),
    target,
    contact_id: target === 'contact' ? given(page, 'contact_id') : null,
    group_id: target === 'group' ? id : null,
    segment_id: target === 'group' ? null : id || null,
    phone: target === 'phone' ? given(page, 'phone') : null,
    repeat,
    ...dayOf(page, target === 'birthday' ? 'birthday' : repeat),
    time: field(page, 'time').trim(),
    time_zone: given(page, 'time_zone') ?? page.workspace.timeZone,
    ends_on: repeat === 'once' ? null : given(page, 'ends_on'),
    transactional: field(page, 'transactional') === 'yes',
  };
}

const DATED: readonly string[] = ['once', 'daily', 'yearly'];

const dayOf = (page: Page, repeat: string) => ({
  date: DATED.includes(repeat) ? given(page, 'date') : null,
  weekday: repeat === 'weekly' ? numberIn(page, 'weekday') : null,
  month_day: repeat === 'monthly' ? numberIn(page, 'month_day') : null,
});

interface Choices {
  readonly numbers: readonly Option[];
  /** Names of those that send free text only within the 24 hours after a person's message. */
  readonly windowed: readonly string[];
  readonly audiences: readonly Option[];
}

/** After an error, the form keeps what was sent. */
export async function reminderFields(page: Page, kept: Values, choices: Choices): Promise<Html> {
  return html`${await whom(page, kept, choices)}${when(page, kept)}<button>${REMINDERS[page.lang].save}</button>`;
}

async function whom(
  page: Page,
  kept: Values,
  { numbers, windowed, audiences }: Choices,
): Promise<Html> {
  const texts = REMINDERS[page.lang];
  const about = (name: Name) => asKept(page, kept, name);
  const contact = await contactChoice(page, {
    type: 'radio',
    kept: kept.contact_id === '' ? [] : [kept.contact_id],
    error: page.problems.get('contact_id'),
  });
  return html`${textField({ ...about('title'), label: texts.title, maxLength: 120, required: true })}
${selectField({
  ...about('number_id'),
  label: texts.number,
  options: numbers,
  ...(windowed.length > 0 ? { hint: texts.window(windowed.join(', ')) } : {}),
})}
${selectField({ ...about('audience'), label: texts.audience, options: audiences })}
${onlyFor('phone', textField({ ...about('phone'), label: texts.phone, hint: texts.phoneHint, maxLength: 40 }))}
${onlyFor('contact', contact)}
${areaField({ ...about('text'), label: texts.text, hint: texts.textHint, required: true })}
${checkbox({
  name: 'transactional',
  value: 'yes',
  label: texts.transactional,
  hint: texts.transactionalHint,
  checked: about('transactional').value === 'yes',
})}`;
}

function when(page: Page, kept: Values): Html {
  const texts = REMINDERS[page.lang];
  const about = (name: Name) => asKept(page, kept, name);
  const repeats = REPEATS.map((value) => ({ value, label: texts.repeats[value] }));
  const weekdays = [1, 2, 3, 4, 5, 6, 7].map((day) => ({
    value: String(day),
    label: page.format.weekday(day),
  }));
  return html`${onlyFor(
    'repeat',
    html`${selectField({ ...about('repeat'), label: texts.repeat, options: repeats })}
${onlyFor('date', textField({ ...about('date'), label: texts.date, hint: texts.dateHint, type: 'date' }))}
${onlyFor('weekly', selectField({ ...about('weekday'), label: texts.weekday, options: weekdays }))}
${onlyFor('monthly', textField({ ...about('month_day'), label: texts.monthDay, hint: texts.monthDayHint, type: 'number' }))}`,
  )}
${textField({ ...about('time'), label: texts.time, type: 'time', required: true })}
${textField({ ...about('time_zone'), label: texts.timeZone, hint: texts.timeZoneHint, maxLength: 60, required: true })}
${onlyFor('more', textField({ ...about('ends_on'), label: texts.endsOn, hint: texts.endsOnHint, type: 'date' }))}`;
}
