/** Runs `work` on the items in order, a limited number at a time. Rejects with the first rejection. */
export async function forEachLimited<T>(
  most: number,
  items: readonly T[],
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const rest = items.values();
  const lane = async (): Promise<void> => {
    for (const item of rest) await work(item);
  };
  await Promise.all(Array.from({ length: most }, lane));
}

/** Runs work, a limited number at a time; the rest waits its turn. */
export type Limiter = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * Runs at most this many at once; others wait in the order in which they came.
 *
 * @param admit is told how many wait already, and throws if one more is too many
 */
export function createLimiter(most: number, admit: (waiting: number) => void = () => {}): Limiter {
  const waiting: (() => void)[] = [];
  let free = most;
  return async (work) => {
    admit(waiting.length);
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

interface Line {
  under: number;
  readonly waiting: (() => void)[];
}

/**
 * As `createLimiter`, shared by several: a place that is given back goes to whoever has the fewest, among equals to
 * whose last turn is longest ago.
 */
export function createFairLimiter(most: number): (whose: string) => Limiter {
  /** Of everybody who has or wants a place; whoever got one last stands last. */
  const lines = new Map<string, Line>();
  let free = most;
  const giveAway = (): void => {
    const wanting = [...lines].filter(([, { waiting }]) => waiting.length > 0);
    const [next] = wanting.toSorted(([, a], [, b]) => a.under - b.under);
    free += 1;
    if (next) take(...next).waiting.shift()?.();
  };
  const take = (whose: string, line: Line): Line => {
    free -= 1;
    line.under += 1;
    lines.delete(whose);
    lines.set(whose, line);
    return line;
  };
  return (whose) => async (work) => {
    const line = lines.get(whose) ?? { under: 0, waiting: [] };
    if (free > 0) take(whose, line);
    else {
      lines.set(whose, line);
      await new Promise<void>((resolve) => line.waiting.push(resolve));
    }
    try {
      return await work();
    } finally {
      line.under -= 1;
      if (line.under + line.waiting.length === 0) lines.delete(whose);
      giveAway();
    }
  };
}

/** The same items in their order, so many in each portion; the last one has what is left. */
export function* chunksOf<T>(most: number, items: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < items.length; from += most) yield items.slice(from, from + most);
}

/** What this process has under way for each of several, of which none may take all places. */
export interface UnderWay {
  /** Whether it has as many as it may. */
  isFull(id: string): boolean;
  /** Those that have. */
  full(): string[];
  during<T>(id: string, work: () => Promise<T>): Promise<T>;
}

/** @param most how many each may have under way */
export function createUnderWay(most: number): UnderWay {
  const counts = new Map<string, number>();
  const add = (id: string, by: 1 | -1): void => {
    const count = (counts.get(id) ?? 0) + by;
    if (count > 0) counts.set(id, count);
    else counts.delete(id);
  };
  const isFull = (id: string): boolean => (counts.get(id) ?? 0) >= most;
  return {
    isFull,
    full: () => [...counts.keys()].filter(isFull),
    async during(id, work) {
      add(id, 1);
      try {
        return await work();
      } finally {
        add(id, -1);
      }
    },
  };
}

/** The next piece of work, and whose it is. */
interface Taken {
  readonly whose: string;
  readonly work: () => Promise<unknown>;
}

/**
 * Work that any number of callers do side by side, of which nobody has more than `most` pieces under way.
 *
 * @param take finds the next piece, told who has as many as they may; null if there is none
 * @returns does one, and says whether there was one
 */
export function createTaking(
  most: number,
  take: (full: readonly string[]) => Promise<Taken | null>,
): () => Promise<boolean> {
  const underWay = createUnderWay(most);
  // One after the other: callers that take side by side would not know of each other's.
  const taking = createLimiter(1);
  const begin = async () => {
    const taken = await take(underWay.full());
    return taken && { done: underWay.during(taken.whose, taken.work) };
  };
  return async () => {
    const begun = await taking(begin);
    await begun?.done;
    return begun !== null;
  };
}
