import { GROUP_PACE, type Provider } from '../../numbers/rules.ts';

/** Messages per minute: careful, steady, fast, maximum (design decisions §5). */
export const PACES = [10, 60, 600, 4800] as const;

/**
 * The paces that a number of this provider allows; paired numbers are phones, which get banned for too many messages.
 */
export function pacesOf(provider: Provider, maxOfPlan: number, toGroups = false): number[] {
  const ofProvider = provider === 'paired' ? 60 : Number.POSITIVE_INFINITY;
  const most = toGroups ? GROUP_PACE : ofProvider;
  return PACES.filter((pace) => pace <= most && pace <= maxOfPlan);
}

/** The rest of a number's ceiling is for replies, because Meta counts both together. */
export const SHARE_OF_CEILING = 0.8;

/** The pace a campaign asks for; null for as much as possible. */
type Pace = number | null;

/**
 * One campaign's fair share: no one gets more than they ask for, and what some leave is divided among those who want
 * more.
 */
export function fairShare(capacity: number, mine: Pace, others: readonly Pace[]): number {
  let rest = capacity;
  let left = others.length + 1;
  const asked = [...others, mine].map((pace) => pace ?? Number.POSITIVE_INFINITY);
  for (const pace of asked.toSorted((a, b) => a - b)) {
    if (pace > rest / left) break;
    rest -= pace;
    left -= 1;
  }
  return Math.min(mine ?? Number.POSITIVE_INFINITY, left === 0 ? capacity : rest / left);
}

/**
 * Messages per minute that a campaign effectively gets: limited by its pace, 80 % of the number's ceiling, and a fair
 * share of that among the campaigns sending on the number. Null if nothing limits it.
 *
 * @param others what the others ask for
 */
export function effectivePace(
  pace: Pace,
  ceilingPerMinute: number | null,
  others: readonly Pace[],
): number | null {
  const share =
    ceilingPerMinute === null ? pace : fairShare(ceilingPerMinute * SHARE_OF_CEILING, pace, others);
  return share === null ? null : Math.max(1, Math.floor(share));
}
