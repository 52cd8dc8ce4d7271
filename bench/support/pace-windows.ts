const WINDOW_MS = 10_000;
const STEP_MS = 500;

/**
 * The fullest and the emptiest 10 seconds between the first message and the last, in percent of the pace.
 *
 * @param times milliseconds since 1970
 * @param perSecond the pace
 */
export function windowsOf(
  times: readonly number[],
  perSecond: number,
): { readonly most: number; readonly least: number } {
  const sorted = times.toSorted((a, b) => a - b);
  const begin = sorted[0] ?? 0;
  const end = sorted.at(-1) ?? 0;
  const shares: number[] = [];
  let from = 0;
  let to = 0;
  for (let at = begin; at + WINDOW_MS <= end; at += STEP_MS) {
    while ((sorted[from] ?? Number.POSITIVE_INFINITY) < at) from += 1;
    while ((sorted[to] ?? Number.POSITIVE_INFINITY) < at + WINDOW_MS) to += 1;
    shares.push(((to - from) / (perSecond * (WINDOW_MS / 1_000))) * 100);
  }
  return { most: Math.max(...shares), least: Math.min(...shares) };
}
