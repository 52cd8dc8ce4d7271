/** How far an upkeep has come through the workspaces. */
export interface SweepPosition {
  /** The last finished workspace; `''` at the start. */
  readonly after: string;
  /** What it has done so far, in its own unit. */
  readonly done: number;
}

export interface SweepControl {
  readonly mayGoOn: () => boolean;
  /** Called when a workspace fails. If it throws, the work ends; otherwise that workspace is skipped. */
  readonly failed: (organizationId: string, error: unknown) => void;
}

/** Work that goes through all workspaces in short transactions. */
export interface Sweep {
  /** The next workspaces after this one with something to do, in the order of their ids. */
  readonly page: (
    after: string,
  ) => Promise<{ readonly ids: readonly string[]; readonly last: boolean }>;
  /** One short transaction's worth of work; returns 0 when nothing is left to do in the workspace. */
  readonly tend: (organizationId: string) => Promise<number>;
}

/**
 * Continues through the workspaces until the time is up. Each step is its own transaction and looks for what is left
 * to do, so repeating a step does nothing twice.
 */
export async function sweep(
  { page, tend }: Sweep,
  from: SweepPosition,
  { mayGoOn, failed }: SweepControl,
): Promise<{ position: SweepPosition; finished: boolean }> {
  let position = from;
  const { ids, last } = await page(from.after);
  for (const id of ids) {
    for (;;) {
      if (!mayGoOn()) return { position, finished: false };
      const done = await tend(id).catch((error: unknown) => {
        failed(id, error);
        return 0;
      });
      if (done === 0) break;
      position = { ...position, done: position.done + done };
    }
    position = { ...position, after: id };
  }
  return { position, finished: last };
}
