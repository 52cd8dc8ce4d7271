import { asSystem, type Database } from '../db/database.ts';
import { rollUpWorkspace, workspacesAfter } from './rollup.ts';

/** How far a run came through the workspaces. */
export interface RollUpPosition {
  /** The last workspace that is finished; `''` at the beginning. */
  readonly after: string;
  /** Days written down so far. */
  readonly days: number;
}

const PAGE = 100;

/**
 * Goes on through the workspaces until the time is up. A workspace that is not finished is come back to:
 * each of its days that was written down is a step forward.
 */
export async function rollUpNext(
  database: Database,
  { after, days }: RollUpPosition,
  control: { now: Date; mayGoOn: () => boolean },
): Promise<{ position: RollUpPosition; finished: boolean }> {
  const page = await asSystem(database, (sql) => workspacesAfter(sql, after, PAGE));
  let position = { after, days };
  for (const { id } of page) {
    if (!control.mayGoOn()) return { position, finished: false };
    const { written, finished } = await rollUpWorkspace(database, id, control);
    position = { after: finished ? id : position.after, days: position.days + written };
    if (!finished) return { position, finished: false };
  }
  return { position, finished: page.length < PAGE };
}
