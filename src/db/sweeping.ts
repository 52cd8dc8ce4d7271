/** How far an upkeep came through the workspaces. */
export interface SweepPosition {
  /** The last workspace that is finished; `''` at the beginning. */
  readonly after: string;
  /** What it did so far, in its own unit. */
  readonly done: number;
}

export interface SweepControl {
  readonly mayGoOn: () => boolean;
  /** Told when a workspace cannot be tended. What it throws ends the work; else that workspace is passed over. */
  readonly failed: (organizationId: string, error: unknown) => void;
}

/** Work that goes through all workspaces, one short transaction after another. */
export interface Sweep {
  /** The next workspaces after this one that have something to be tended, in the order of their ids. */
  readonly page: (
    after: string,
  ) => Promise<{ readonly ids: readonly string[]; readonly last: boolean }>;
  /** One short transaction's worth; 0 when nothing is left to do in the workspace. */
  readonly tend: (organizationId: string) => Promise<number>;
}

/**
 * Goes on through the workspaces until the time is up. Each step is a transaction of its own that finds
 * what is left to do by looking, so a step that is repeated does nothing twice.
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
