/** Runs `work` on the items in order, a limited number at a time. Rejects with the first rejection. */
export async function atOnce<T>(
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

/** The same items in their order, so many in each portion; the last one has what is left. */
export function* portionsOf<T>(most: number, items: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < items.length; from += most) yield items.slice(from, from + most);
}
