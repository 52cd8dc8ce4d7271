import type { Database } from '../db/database.ts';
import { workspacesAfter } from '../db/workspaces.ts';
import { rollUpWorkspace } from './rollup.ts';

/** How far a run has come through the workspaces. */
export interface RollUpPosition {
  /** The last finished workspace; `''` at the start. */
  readonly after: string;
  /** Days stored so far. */
  readonly days: number;
}

interface Control {
  readonly now: Date;
  readonly mayGoOn: () => boolean;
  /**
   * Called when a workspace's figures cannot be computed. If it throws, the run ends; otherwise the workspace is
   * skipped.
   */
  readonly failed: (organizationId: string, error: unknown) => void;
}

/**
 * Continues through the workspaces until the time is up. An unfinished workspace is resumed later; each of its stored
 * days is progress.
 */
export async function rollUpNext(
  database: Database,
  { after, days }: RollUpPosition,
  control: Control,
): Promise<{ position: RollUpPosition; finished: boolean }> {
  const { ids, last } = await workspacesAfter(database, after);
  let position = { after, days };
  for (const id of ids) {
    if (!control.mayGoOn()) return { position, finished: false };
    const { written, finished } = await oneWorkspace(database, id, control);
    position = { after: finished ? id : position.after, days: position.days + written };
    if (!finished) return { position, finished: false };
  }
  return { position, finished: last };
}

async function oneWorkspace(database: Database, id: string, control: Control) {
  try {
    return await rollUpWorkspace(database, id, control);
  } catch (error) {
    control.failed(id, error);
    return { written: 0, finished: true };
  }
}
