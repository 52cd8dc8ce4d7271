const MINUTE_MS = 60_000;
/** More addresses than these within a minute are counted together: memory is no caller's to take. */
const MAX_ADDRESSES = 10_000;
const OTHERS = 'others';

/** How often each address was refused (401, 403, 429) within the running minute of the clock. */
export interface Refusals {
  /** Counts one, and answers how many these make for the address. */
  add(address: string | null): number;
  /** Of the address that was refused most. */
  most(): number;
}

/** @param now milliseconds since 1970 */
export function countRefusals(now: () => number = Date.now): Refusals {
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
