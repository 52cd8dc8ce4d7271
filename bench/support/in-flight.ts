/** Runs `work` for 0 to `count - 1`, always `width` at a time. */
export async function inFlight(
  count: number,
  width: number,
  work: (n: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let n = next++; n < count; n = next++) await work(n);
  };
  await Promise.all(Array.from({ length: width }, lane));
}
