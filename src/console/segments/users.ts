import { type Html, html } from '../../pages/html.ts';
import type { readSegment } from '../../segments/reading.ts';
import type { Page } from '../page.ts';
import { SEGMENTS } from './texts.ts';

const USES = ['campaigns', 'reminders', 'automations'] as const;

/** `campaigns: 2, reminders: 1`, those that a list can be narrowed to as links; null for nothing. */
export function usersOf(
  page: Page,
  { id, used_by: by }: Pick<Awaited<ReturnType<typeof readSegment>>, 'id' | 'used_by'>,
): Html | null {
  const uses = USES.filter((use) => by[use] > 0);
  if (uses.length === 0) return null;
  const one = (use: (typeof USES)[number]): Html | string => {
    const said = `${SEGMENTS[page.lang].uses[use]}: ${page.format.number(by[use])}`;
    // Automations name segments within their definitions, by which no list is narrowed.
    return use === 'automations' || !page.may(`${use}.read`)
      ? said
      : html`<a href="${page.base}/${use}?segment_id=${id}">${said}</a>`;
  };
  return html`${uses.map((use, i) => html`${i > 0 ? ', ' : null}${one(use)}`)}`;
}
