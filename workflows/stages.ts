import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { upsertSearchAttributes } from '@temporalio/workflow';

const stageKey = defineSearchAttributeKey('WmsStage', SearchAttributeType.KEYWORD);
const nextAtKey = defineSearchAttributeKey('WmsNextAt', SearchAttributeType.DATETIME);

/** What operators list runs by: the stage, and when something happens next (nothing if `waitMs` is 0). */
export function showStage(stage: string, waitMs: number): void {
  upsertSearchAttributes([
    { key: stageKey, value: stage },
    { key: nextAtKey, value: waitMs > 0 ? new Date(Date.now() + waitMs) : null },
  ]);
}
