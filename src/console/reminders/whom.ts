import { contactNames } from '../../contacts/names.ts';
import { listGroups } from '../../groups/reading.ts';
import type { Option } from '../../pages/fields.ts';
import { type Html, html } from '../../pages/html.ts';
import type { getReminder } from '../../reminders/reading.ts';
import { listSegments } from '../../segments/reading.ts';
import type { Page } from '../page.ts';
import { REMINDERS } from './texts.ts';

export type Reminder = Awaited<ReturnType<typeof getReminder>>;

/** What a list of choices holds at most. */
export const CHOICES = { limit: 100, after: null } as const;

/** One choice names the kind and the record: `segment:seg_…`; contact and phone have fields of their own. */
export const audienceOf = ({ target, segment_id, group_id }: Reminder): string => {
  const id = target === 'group' ? group_id : segment_id;
  return id === null ? target : `${target}:${id}`;
};

/** With the one that is chosen now, which may be beyond what the list holds. */
export function withChosen(options: readonly Option[], value: string): readonly Option[] {
  if (value === '' || options.some((one) => one.value === value)) return options;
  return [...options, { value, label: value.replace(/^.*:/, '') }];
}

/** Everybody to whom a reminder may go. */
export async function audiencesOf(page: Page): Promise<Option[]> {
  const texts = REMINDERS[page.lang];
  const segments = (await listSegments(page.ctx, CHOICES)).data;
  const groups = (await listGroups(page.ctx, { active: 'true' }, CHOICES)).data;
  return [
    { value: 'phone', label: texts.onePhone },
    { value: 'contact', label: texts.oneContact },
    ...segments.map(({ id, name }) => ({ value: `segment:${id}`, label: texts.segment(name) })),
    ...groups.map(({ id, name }) => ({ value: `group:${id}`, label: texts.group(name) })),
    { value: 'birthday', label: texts.birthdays },
    ...segments.map(({ id, name }) => ({
      value: `birthday:${id}`,
      label: texts.birthdaysIn(name),
    })),
  ];
}

/** To whom it goes, in words. */
export async function audienceText(page: Page, one: Reminder): Promise<Html | string> {
  if (one.target === 'phone') return one.phone ?? '';
  if (one.target === 'contact') return contactText(page, one.contact_id ?? '');
  const value = audienceOf(one);
  const options = withChosen(await audiencesOf(page), value);
  return options.find((option) => option.value === value)?.label ?? '';
}

async function contactText(page: Page, id: string): Promise<Html | string> {
  const contact = (await contactNames(page.ctx, [id])).get(id);
  if (!contact) return REMINDERS[page.lang].gone;
  return html`<a href="${page.base}/contacts/${id}">${contact.name || contact.phone || id}</a>`;
}
