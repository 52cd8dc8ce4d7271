/** How far an upkeep has come through the workspaces. */
export interface SweepPosition {
  /** The last finished workspace; `''` at the start. */
  readonly after: string;
  /** What it has done so far, in its own unit. */
  readonly done: number;
  /** In this round a workspace had more to do than fits into a turn; another round follows. */
  readonly left?: true;
  /** Another round: whoever fails now has been tried often enough in the first one. */
  readonly again?: true;
}

export interface SweepControl {
  readonly mayGoOn: () => boolean;
  /**
   * Called when a workspace fails. If it throws, the work ends; otherwise that workspace is skipped.
   *
   * @param again in another round, for the sake of those who had more to do
   */
  readonly failed: (organizationId: string, error: unknown, again: boolean) => void;
  /** In milliseconds; the machine's own, which never goes back, when left out. */
  readonly now?: () => number;
}

/** How long a workspace may do one thing after the other while the others wait. */
const TURN_MS = 5_000;

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
 * Continues through the workspaces until the time is up, round after round while one of them has more to do than its
 * turn allows. Each step is its own transaction and looks for what is left to do, so repeating a step does nothing
 * twice.
 */
export async function sweep(
  { page, tend }: Sweep,
  from: SweepPosition,
  control: SweepControl,
): Promise<{ position: SweepPosition; finished: boolean }> {
  let position = from;
  const { ids, last } = await page(from.after);
  for (const id of ids) {
    const { done, end } = await takeTurn(id, tend, { ...control, again: from.again ?? false });
    position = { ...position, done: position.done + done };
    if (end === 'stopped') return { position, finished: false };
    position = { ...position, after: id, ...(end === 'left' ? { left: true } : {}) };
  }
  if (!last || !position.left) return { position, finished: last };
  return { position: { after: '', done: position.done, again: true }, finished: false };
}

/** `stopped`: the sweep must not go on now; `left`: the workspace has more to do. */
async function takeTurn(
  id: string,
  tend: Sweep['tend'],
  { mayGoOn, failed, again, now = () => performance.now() }: SweepControl & { again: boolean },
): Promise<{ readonly done: number; readonly end: 'stopped' | 'through' | 'left' }> {
  const until = now() + TURN_MS;
  let done = 0;
  while (mayGoOn()) {
    const more = await tend(id).catch((error: unknown) => {
      failed(id, error, again);
      return 0;
    });
    if (more === 0) return { done, end: 'through' };
    done += more;
    if (now() >= until) return { done, end: 'left' };
  }
  return { done, end: 'stopped' };
}
