/** Chance that a seed repeats. */
export interface Dice {
  /** From 0 to 1. */
  roll(): number;
  pick<T>(among: readonly T[]): T | undefined;
}

/** By mulberry32. */
export function diceOf(seed: number): Dice {
  let state = seed;
  const roll = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return { roll, pick: (among) => among[Math.floor(roll() * among.length)] };
}
