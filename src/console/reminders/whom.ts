import { contactNames, nameOfContact } from '../../contacts/names.ts';
import type { Option } from '../../pages/fields.ts';
import { type Html, html } from '../../pages/html.ts';
import type { getReminder } from '../../reminders/reading.ts';
import type { Page } from '../page.ts';
import { audiencesOf } from '../parts/audience-choice.ts';
import { REMINDERS } from './texts.ts';

export type Reminder = Awaited<ReturnType<typeof getReminder>>;

/** Each choice names the kind and the record: `segment:seg_…`. Contact and phone have their own fields. */
export const audienceOf = ({ target, segment_id, group_id }: Reminder): string => {
  const id = target === 'group' ? group_id : segment_id;
  return id === null ? target : `${target}:${id}`;
};

/** Adds the current choice, which may be a group that the number has left. */
export function withChosen(options: readonly Option[], value: string): readonly Option[] {
  if (value === '' || options.some((one) => one.value === value)) return options;
  return [...options, { value, label: value.replace(/^.*:/, '') }];
}

/** Everyone a reminder can be sent to. */
export async function addresseesOf(page: Page): Promise<Option[]> {
  const texts = REMINDERS[page.lang];
  const { segments, options } = await audiencesOf(page, 'active');
  return [
    { value: 'phone', label: texts.onePhone },
    { value: 'contact', label: texts.oneContact },
    ...options,
    { value: 'birthday', label: texts.birthdays },
    ...segments.map(({ id, name }) => ({
      value: `birthday:${id}`,
      label: texts.birthdaysIn(name),
    })),
  ];
}

/** Who it is sent to, in words. */
export async function audienceText(page: Page, one: Reminder): Promise<Html | string> {
  if (one.target === 'phone') return one.phone ?? REMINDERS[page.lang].gone;
  if (one.target === 'contact') return contactText(page, one.contact_id ?? '');
  const value = audienceOf(one);
  const options = withChosen(await addresseesOf(page), value);
  return options.find((option) => option.value === value)?.label ?? '';
}

export async function contactText(page: Page, id: string): Promise<Html | string> {
  const contact = (await contactNames(page.ctx, [id])).get(id);
  if (!contact) return REMINDERS[page.lang].gone;
  return html`<a href="${page.base}/contacts/${id}">${nameOfContact(contact)}</a>`;
}
