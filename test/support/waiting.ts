export interface Patience {
  readonly timeoutMs?: number;
  /** The longest pause between two looks. */
  readonly everyMs?: number;
  /** What there is instead, for the message of a failed test. */
  readonly instead?: () => unknown;
}

/** Waits until a condition holds, or throws an error that shows the actual state. */
export async function eventually(
  isSo: () => boolean | Promise<boolean>,
  { timeoutMs = 60_000, everyMs = 50, instead = () => 'it is not' }: Patience = {},
): Promise<void> {
  const end = Date.now() + timeoutMs;
  // Ever less often: what takes long is mostly asked of the database that is busy with it.
  for (let waitMs = 5; !(await isSo()); waitMs = Math.min(everyMs, waitMs * 1.2)) {
    if (Date.now() > end) throw new Error(`After ${timeoutMs} ms: ${String(instead())}`);
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}
