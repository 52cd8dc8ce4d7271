/** A thread that bundles the workflows into the file that its `workerData` names. */
import { writeFileSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { bundleWorkflowCode } from '@temporalio/worker';
import { WORKFLOWS } from './bundle.ts';

// The compiler's own words are only told to the logger; the error that follows says no more than that there were some.
let trouble: string | undefined;
const logger = {
  log() {},
  trace() {},
  debug() {},
  info() {},
  warn() {},
  error(message: string) {
    trouble ??= message;
  },
};
const { code } = await bundleWorkflowCode({ ...WORKFLOWS, logger }).catch((cause: unknown) => {
  throw trouble === undefined ? cause : new Error(trouble, { cause });
});
writeFileSync(workerData as string, code);
