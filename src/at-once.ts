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
