import type { ReadContext } from '../context.ts';
import type { Period } from './period.ts';

/** The part that both reports begin with. */
export const frameOf = (
  { organizationId, now }: ReadContext,
  { from, to, days, previous }: Period,
  timeZone: string,
) => ({
  workspace: organizationId,
  range: { from, to, days: days.length, previous: { from: previous.from, to: previous.to } },
  now: now.toISOString(),
  time_zone: timeZone,
});
