import { setWorkflowOptions, workflowInfo } from '@temporalio/workflow';
import { type ImportProgress, isOpen } from '../src/contacts/rules.ts';
import { pinned } from './pinned.ts';
import { batches, steps } from './proxies.ts';
import { showDetails, showStage } from './stages.ts';
import { goOnAnew, untilCancelled } from './waking.ts';

interface ImportRef {
  readonly organizationId: string;
  readonly importId: string;
}

/**
 * Imports the rows of a file until each has its outcome. The rows record the progress, so that another worker can
 * continue after one dies. Cancelling it stops the import; contacts already imported stay.
 */
export async function importContacts(ref: ImportRef): Promise<void> {
  await untilCancelled(
    () => takeIn(ref),
    () =>
      steps.cancelContactImport.executeWithOptions({ summary: 'end it, as the operator asked' }, [
        ref,
      ]),
  );
}

async function takeIn(ref: ImportRef): Promise<void> {
  let shown = '';
  for (;;) {
    const progress = await batches.importContactRows.executeWithOptions(
      { summary: 'take rows in' },
      [ref],
    );
    if (progress.status !== shown) showStage(progress.status, 0);
    shown = progress.status;
    showDetails(describe(progress));
    if (progress.status === 'gone' || !isOpen(progress.status)) return;
    if (workflowInfo().continueAsNewSuggested) await goOnAnew<typeof importContacts>(ref);
  }
}

setWorkflowOptions(pinned, importContacts);

const describe = ({ status, total, done, failed }: ImportProgress): string =>
  `| stage | rows | done | failed |\n|---|---|---|---|\n| ${status} | ${total} | ${done} | ${failed} |`;
