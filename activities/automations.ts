import type { RunProgress } from '../src/automations/rules.ts';
import { advanceRun, type RunDeps, type RunRef } from '../src/automations/running/advance.ts';
import {
  type AutomationRef,
  cancelByOperator,
  stopRuns,
} from '../src/automations/running/stopping.ts';
import { alive } from './alive.ts';

/** The activities of `run:{id}`. Each may be repeated: the step records what was done. */
export const automationActivities = (deps: RunDeps) => ({
  advanceAutomationRun: (ref: RunRef): Promise<RunProgress> =>
    alive(() => advanceRun(deps, ref, 'workflow')),

  cancelAutomationRun: (ref: RunRef): Promise<void> => cancelByOperator(deps, ref),

  stopAutomationRuns: (ref: AutomationRef): Promise<'more' | 'later' | 'done'> =>
    stopRuns(deps, ref),
});
