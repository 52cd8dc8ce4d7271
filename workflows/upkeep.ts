import { continueAsNew, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { RollUpPosition } from '../src/reports/upkeep.ts';
import { batches } from './proxies.ts';

/** Writes down the reports' figures of the days that are over, workspace by workspace. */
export async function rollUpReports(from: RollUpPosition = { after: '', days: 0 }): Promise<void> {
  let position = from;
  for (;;) {
    const next = await batches.rollUpReports.executeWithOptions(
      { summary: 'count the days that are over' },
      [position],
    );
    setCurrentDetails(`${next.position.days} days of reports written down.`);
    if (next.finished) return;
    position = next.position;
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof rollUpReports>(position);
  }
}
