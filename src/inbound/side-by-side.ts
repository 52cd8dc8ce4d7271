import type { Reading } from './reading.ts';

/** Runs what it is given, so many at a time; the others wait for their turn. */
export type Slots = <T>(work: () => Promise<T>) => Promise<T>;

/** At most so many at once; others wait in the order in which they came. */
export function createSlots(most: number): Slots {
  const waiting: (() => void)[] = [];
  let free = most;
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  };
}

interface WithReading {
  readonly reading: Reading;
}

/**
 * Takes parts in their order, those of different people side by side: what a person writes stays in its order.
 * A part with anything else than messages of people whose phone is known has everything before it taken, and
 * nothing after it begun.
 *
 * @param take never rejects.
 */
export async function takeSideBySide<P extends WithReading>(
  parts: readonly P[],
  slots: Slots,
  take: (part: P) => Promise<void>,
): Promise<void> {
  let latest = new Map<string, Promise<void>>();
  for (const part of parts) {
    const people = peopleOf(part.reading);
    if (people === null) {
      await Promise.all(latest.values());
      latest = new Map();
      await slots(() => take(part));
      continue;
    }
    const before = people.map((person) => latest.get(person));
    const taken = Promise.all(before).then(() => slots(() => take(part)));
    for (const person of people) latest.set(person, taken);
  }
  await Promise.all(latest.values());
}

/** The phones of those who wrote, and WhatsApp's ids of them; null where these do not say all. */
function peopleOf({ arrivals, echoes, groups, preferences }: Reading): string[] | null {
  if (echoes.length + groups.length + preferences.length > 0) return null;
  const people = new Set<string>();
  for (const { phone, waUserId, groupId } of arrivals) {
    if (phone === null || groupId !== null) return null;
    people.add(phone);
    if (waUserId !== null) people.add(waUserId);
  }
  return [...people];
}
