import type { Reading } from './reading.ts';

/** Runs work, a limited number at a time; the rest waits its turn. */
export type Slots = <T>(work: () => Promise<T>) => Promise<T>;

/** Runs at most this many at once; others wait in the order in which they came. */
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
 * Takes parts in order, but those of different people in parallel: each person's messages stay in order. A part that
 * is not only messages from people with known phones waits for everything before it, and everything after it waits
 * for it.
 *
 * @param take is given what an earlier part of the same people waits for, or null, and answers what this one waits for;
 *   never rejects
 */
export async function takeSideBySide<P extends WithReading>(
  parts: readonly P[],
  slots: Slots,
  take: (part: P, held: unknown) => Promise<unknown>,
): Promise<void> {
  const latest = new Map<string, Promise<unknown>>();
  for (const part of parts) {
    const people = peopleOf(part.reading);
    if (people === null) {
      await Promise.all(latest.values());
      await slots(() => take(part, null));
      continue;
    }
    const before = people.map((person) => latest.get(person));
    const taken = Promise.all(before).then((held) =>
      slots(() => take(part, held.find((each) => each != null) ?? null)),
    );
    for (const person of people) latest.set(person, taken);
  }
  await Promise.all(latest.values());
}

/** The phones and WhatsApp ids of the writers; null if these do not cover the whole part. */
function peopleOf({ arrivals, echoes, groups, preferences, calls }: Reading): string[] | null {
  if (echoes.length + groups.length + preferences.length + calls.length > 0) return null;
  const people = new Set<string>();
  for (const { phone, waUserId, groupId } of arrivals) {
    if (phone === null || groupId !== null) return null;
    people.add(phone);
    if (waUserId !== null) people.add(waUserId);
  }
  return [...people];
}
