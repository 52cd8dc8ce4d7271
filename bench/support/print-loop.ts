/** Runs the loop once and prints its pace and its CPU seconds, for the program that started it. */
export async function printLoop(count: number, loop: () => Promise<void>): Promise<void> {
  const startedAt = performance.now();
  const before = process.cpuUsage();
  await loop();
  const { user, system } = process.cpuUsage(before);
  const seconds = (performance.now() - startedAt) / 1_000;
  console.log(JSON.stringify({ perSecond: count / seconds, cpuSeconds: (user + system) / 1e6 }));
}
