import { type Html, html } from '../../pages/html.ts';
import type { Page } from '../page.ts';
import { CONTACTS } from './texts.ts';

/** For the actions that write a phone, which may be another contact's, and who is in charge, who may have left. */
export const CONTACT_PROBLEMS = { duplicate: 'phone', unknown_member: 'owner_id' } as const;

/** What is wrong with the phone; another contact's is linked. */
export function phoneError({ base, faults, lang }: Page): string | Html | undefined {
  const fault = faults.find((one) => one.field === 'phone');
  const id = fault?.details?.['contact_id'];
  if (!fault || typeof id !== 'string') return fault?.text;
  return html`${fault.text} <a href="${base}/contacts/${id}">${CONTACTS[lang].whose}</a>`;
}
