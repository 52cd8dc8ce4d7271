import { MINUTE_MS } from '../../durations.ts';

/**
 * Beyond this number within a minute, addresses are counted together, because callers must not control memory use.
 */
const MAX_ADDRESSES = 10_000;
const OTHERS = 'others';

/** How often each address was refused (401, 403, 429) within the current clock minute. */
export interface Refusals {
  /** Counts one, and returns the address's count. */
  add(address: string | null): number;
  /** The count of the address refused most often. */
  most(): number;
}

/** @param now milliseconds since 1970 */
export function countRefusals(now: () => number): Refusals {
  let minute = 0;
  let counts = new Map<string, number>();
  const current = (): Map<string, number> => {
    const running = Math.floor(now() / MINUTE_MS);
    if (running !== minute) {
      minute = running;
      counts = new Map();
    }
    return counts;
  };
  return {
    add(address) {
      const known = current();
      const named = address ?? OTHERS;
      const key = known.has(named) || known.size < MAX_ADDRESSES ? named : OTHERS;
      const count = (known.get(key) ?? 0) + 1;
      known.set(key, count);
      return count;
    },
    most: () => Math.max(0, ...current().values()),
  };
}
