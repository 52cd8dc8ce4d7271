import type { readSegment } from '../../segments/reading.ts';
import type { Page } from '../page.ts';
import { SEGMENTS } from './texts.ts';

const USES = ['campaigns', 'reminders', 'automations'] as const;

/** `2 campaigns, 1 reminders`; "" for nothing. */
export const usersOf = (
  { lang, format }: Page,
  { used_by: by }: Pick<Awaited<ReturnType<typeof readSegment>>, 'used_by'>,
): string =>
  USES.filter((use) => by[use] > 0)
    .map((use) => `${SEGMENTS[lang].uses[use]}: ${format.number(by[use])}`)
    .join(', ');
