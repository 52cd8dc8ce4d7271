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
    const alone = isAlone(part.reading);
    if (alone) await Promise.all(latest.values());
    const before = people.map((person) => latest.get(person));
    const taken = Promise.all(before).then((held) =>
      slots(() => take(part, held.find((each) => each != null) ?? null)),
    );
    for (const person of people) latest.set(person, taken);
    if (alone) await taken;
  }
  await Promise.all(latest.values());
}

/** The phones and WhatsApp ids of the writers. */
const peopleOf = ({ arrivals }: Reading): string[] =>
  arrivals.flatMap(({ phone, waUserId }) => [phone, waUserId].filter((name) => name !== null));

/** Whether those do not cover the whole part. */
const isAlone = ({ arrivals, echoes, groups, preferences, calls }: Reading): boolean =>
  echoes.length + groups.length + preferences.length + calls.length > 0 ||
  arrivals.some(({ phone, groupId }) => phone === null || groupId !== null);
