import type { Limiter } from '../concurrency.ts';
import type { Reading } from './reading.ts';

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
  slots: Limiter,
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

/** The phones and WhatsApp ids of the writers, and of those that changed, before and after. */
const peopleOf = ({ arrivals, identityChanges }: Reading): string[] =>
  [...arrivals, ...identityChanges.flatMap(({ before, after }) => [before, after])].flatMap(
    ({ phone, waUserId }) => [phone, waUserId].filter((name) => name !== null),
  );

/** Whether those do not cover the whole part. */
const isAlone = (reading: Reading): boolean => {
  const { arrivals, echoes, groups, preferences, identityChanges, calls } = reading;
  const others = [echoes, groups, preferences, identityChanges, calls];
  return (
    others.some(({ length }) => length > 0) ||
    arrivals.some(({ phone, groupId }) => phone === null || groupId !== null)
  );
};
