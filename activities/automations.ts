import { TEMPORAL_OPERATOR } from '../src/access/actor.ts';
import type { RunProgress } from '../src/automations/rules.ts';
import { advanceRun, type RunRef } from '../src/automations/running/advance.ts';
import type { RunDeps } from '../src/automations/running/deps.ts';
import { type AutomationRef, stopRuns } from '../src/automations/running/stopping.ts';
import { cancelRunByOperator } from '../src/automations/runs.ts';
import { alive } from './alive.ts';

/** The activities of `run:{id}`. Each may be repeated: the step records what was done. */
export const automationActivities = (deps: RunDeps) => ({
  advanceAutomationRun: (ref: RunRef): Promise<RunProgress> =>
    alive(() => advanceRun(deps, ref, 'workflow')),

  cancelAutomationRun: ({ organizationId, runId }: RunRef): Promise<void> =>
    cancelRunByOperator(deps.contextFor(organizationId, TEMPORAL_OPERATOR), runId),

  stopAutomationRuns: (ref: AutomationRef): Promise<'more' | 'later' | 'done'> =>
    stopRuns(deps, ref),
});
