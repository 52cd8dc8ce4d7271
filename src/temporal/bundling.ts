/** A thread that bundles the workflows into the file that its `workerData` names. */
import { writeFileSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { bundleWorkflowCode } from '@temporalio/worker';
import { WORKFLOWS } from './bundle.ts';

const quiet = { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} };
const { code } = await bundleWorkflowCode({ ...WORKFLOWS, logger: quiet });
writeFileSync(workerData as string, code);
