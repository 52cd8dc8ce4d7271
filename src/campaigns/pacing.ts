import type { Provider } from '../numbers/rules.ts';

/** Messages per minute: careful, steady, fast, maximum (design decisions §5). */
export const PACES = [10, 60, 600, 4800] as const;

/** What a number sends to groups in a minute, whoever sends (design decisions §23). */
export const GROUP_PACE = 10;

/** Paces that a number of this provider bears; paired numbers are phones, and phones get banned. */
export function pacesOf(provider: Provider, maxOfPlan: number, toGroups = false): number[] {
  const ofProvider = provider === 'paired' ? 60 : Number.POSITIVE_INFINITY;
  const most = toGroups ? GROUP_PACE : ofProvider;
  return PACES.filter((pace) => pace <= most && pace <= maxOfPlan);
}

/** The rest of a number's ceiling is for replies: Meta counts both together. */
export const SHARE_OF_CEILING = 0.8;

/**
 * Messages per minute that a campaign gets in the end: its pace, 80 % of the number's ceiling, and a fair
 * share of that among the campaigns sending on the number. Null when nothing paces it.
 */
export function effectivePace(
  pace: number | null,
  ceilingPerMinute: number | null,
  others: number,
): number | null {
  const share =
    ceilingPerMinute === null
      ? null
      : Math.max(1, Math.floor((ceilingPerMinute * SHARE_OF_CEILING) / (others + 1)));
  if (pace === null || share === null) return pace ?? share;
  return Math.min(pace, share);
}

/** When the last of `count` evenly spaced messages leaves, the first at `from` (milliseconds). */
export const lastSendAt = (count: number, perMinute: number, from: number): number =>
  from + Math.ceil((Math.max(0, count - 1) * 60_000) / perMinute);
