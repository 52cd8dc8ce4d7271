/** Does what is given in its order, so many at a time. The first that rejects makes it reject. */
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
