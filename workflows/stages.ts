import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import {
  patched,
  setCurrentDetails,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';

const stageKey = defineSearchAttributeKey('WmsStage', SearchAttributeType.KEYWORD);
const nextAtKey = defineSearchAttributeKey('WmsNextAt', SearchAttributeType.DATETIME);

/** What operators list runs by: the stage, and when something happens next (nothing if `waitMs` is 0). */
export function showStage(stage: string, waitMs: number): void {
  upsertSearchAttributes([
    { key: stageKey, value: stage },
    { key: nextAtKey, value: waitMs > 0 ? new Date(Date.now() + waitMs) : null },
  ]);
}

/**
 * What operators read about a run, beside the words of its start. These the server keeps with the first run only; one
 * that goes on from another takes them from the memo, which is handed on (`src/temporal/words.ts`).
 */
export function showDetails(details: string): void {
  const { continuedFromExecutionRunId, memo } = workflowInfo();
  const about = continuedFromExecutionRunId ? memo?.['about'] : undefined;
  setCurrentDetails(about ? `${details}\n\n${about}` : details);
}

/**
 * Shows a stage only when it has changed, or with a time; `null` for a wait that is not worth showing. A time that was shown
 * goes with its wait: what is still listed as due long after it passes for stuck.
 */
export function createStageDisplay(): (stage: string, waitMs: number | null) => void {
  let shown = '';
  let isTimed = false;
  return (stage, waitMs) => {
    const isChanged = stage !== shown || waitMs !== null;
    if (isChanged || (isTimed && patched('next-at-cleared'))) showStage(stage, waitMs ?? 0);
    shown = stage;
    isTimed = waitMs !== null;
  };
}
