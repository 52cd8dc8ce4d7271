import type { RunProgress } from '../src/automations/rules.ts';
import { advanceRun, type RunDeps, type RunRef } from '../src/automations/running/advance.ts';
import {
  type AutomationRef,
  cancelByOperator,
  stopRuns,
} from '../src/automations/running/stopping.ts';
import { alive } from './alive.ts';

/** What `run:{id}` asks for. Each may be repeated: what was done is known by its step. */
export const automationActivities = (deps: RunDeps) => ({
  advanceAutomationRun: (ref: RunRef): Promise<RunProgress> =>
    alive(() => advanceRun(deps, ref, 'workflow')),

  cancelAutomationRun: (ref: RunRef): Promise<void> => cancelByOperator(deps, ref),

  stopAutomationRuns: (ref: AutomationRef): Promise<'more' | 'later' | 'done'> =>
    stopRuns(deps, ref),
});
