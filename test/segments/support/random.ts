/** A generator of numbers that a seed repeats: a failing case can be run again. */
export function randomFrom(seed: number) {
  let state = seed >>> 0;
  // Mulberry32.
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    below,
    chance: (share: number): boolean => next() < share,
    pick: <T>(from: readonly T[]): T => {
      const picked = from[below(from.length)];
      if (picked === undefined) throw new TypeError('nothing to pick from');
      return picked;
    },
    some: <T>(from: readonly T[], most: number): T[] =>
      [...from].sort(() => next() - 0.5).slice(0, below(most + 1)),
  };
}

export type Random = ReturnType<typeof randomFrom>;
