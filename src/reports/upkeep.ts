import type { Database } from '../db/database.ts';
import { workspacesAfter } from '../db/workspaces.ts';
import { rollUpWorkspace } from './rollup.ts';

/** How far a run came through the workspaces. */
export interface RollUpPosition {
  /** The last workspace that is finished; `''` at the beginning. */
  readonly after: string;
  /** Days written down so far. */
  readonly days: number;
}

interface Control {
  readonly now: Date;
  readonly mayGoOn: () => boolean;
  /** Told when a workspace cannot be counted. What it throws ends the work; else that workspace is passed over. */
  readonly failed: (organizationId: string, error: unknown) => void;
}

/**
 * Goes on through the workspaces until the time is up. A workspace that is not finished is come back to:
 * each of its days that was written down is a step forward.
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
