import type { Row } from './rows.ts';
import type { Seen } from './seen.ts';

/** How to bring row and workflow into agreement: `end` ends the row as Cancel in the Temporal UI does. */
export type Repair = 'none' | 'start' | 'end' | 'wake';

/** Whether a row and its workflow agree, in words for an operator. */
export interface Verdict {
  readonly agree: boolean;
  readonly says: string;
  /** What a person should do about it. */
  readonly todo: string;
  readonly repair: Repair;
}

/** Compares what the row needs with what Temporal has. */
export function judge(row: Row, seen: Seen): Verdict {
  if (seen.state === 'running') return judgeRunning(row, seen);
  if (row.workflow === 'not')
    return agreeing('The row says that nothing is left to do, and no workflow runs.', 'Nothing.');
  if (seen.state === 'terminated') return terminated(row);
  if (row.workflow === 'may')
    return agreeing(
      'It continues without a workflow; one is started when it is needed.',
      goingOn(row) ?? 'Nothing.',
    );
  return {
    agree: false,
    says: `The row needs its workflow, which ${seen.state === 'missing' ? 'is not there' : `has ${seen.state.replace('_', ' ')}`}.`,
    todo: `wms ops reconcile ${row.id} starts it; the service does so by itself once it is overdue.`,
    repair: 'start',
  };
}

function judgeRunning(row: Row, seen: Seen): Verdict {
  if (seen.trouble)
    return {
      agree: false,
      says: `The workflow runs and does not go on: ${seen.trouble}.`,
      todo: 'Remove the cause; the workflow then continues by itself where it was.',
      repair: 'none',
    };
  if (row.workflow !== 'not' && row.overdue)
    return {
      agree: false,
      says: 'The workflow runs, but did not come when the row was due: it sleeps for a later time, or no worker takes it.',
      todo: `wms ops reconcile ${row.id} wakes it; the service does so by itself. If it does not help, see whether a worker runs.`,
      repair: 'wake',
    };
  if (row.workflow === 'must' && seen.stage === 'paused')
    return {
      agree: false,
      says: `The row is ${row.status}, but the workflow sleeps as if it were paused: a wake was lost, or the row comes from a backup.`,
      todo: `Wait a minute, else wms ops reconcile ${row.id} wakes it; by itself it looks within a day.`,
      repair: 'wake',
    };
  if (row.workflow !== 'not')
    return agreeing(
      'The workflow runs, as the row wants.',
      `${goingOn(row) ?? 'Nothing.'} To end it: Cancel in the Temporal UI, or wms ops reconcile ${row.id} --end.`,
    );
  return {
    agree: false,
    says: 'The row says that nothing is left to do, but its workflow is running: it may be settling what is in flight, or a wake was lost.',
    todo: `Wait a minute, else wms ops reconcile ${row.id} wakes it: it reads the row and ends.`,
    repair: 'wake',
  };
}

/** A paused campaign stays so for ever, whoever paused it. */
function goingOn({ kind, id, organizationId, status, says }: Row): string | undefined {
  if (kind.kind !== 'campaign' || status !== 'paused') return undefined;
  const first = says.includes('number_unavailable')
    ? `See why its number could not send (docs/operations.md, Stuck campaign): wms number list --workspace ${organizationId}. `
    : '';
  return `${first}It goes on by wms campaign resume ${id}, and not by itself.`;
}

function terminated(row: Row): Verdict {
  const ends = row.kind.end !== undefined;
  return {
    agree: false,
    says: `The workflow was terminated, and the row is still ${row.status}.`,
    todo: ends
      ? `wms ops reconcile ${row.id} ends the row, as Cancel would have done. Left alone, what is due is started again.`
      : `wms ops reconcile ${row.id} starts it again.`,
    repair: ends ? 'end' : 'start',
  };
}

const agreeing = (says: string, todo: string): Verdict => ({
  agree: true,
  says,
  todo,
  repair: 'none',
});
