#!/usr/bin/env node
// Loads what a process of the service needs and ends, so that Node keeps what it compiled in the folder
// NODE_COMPILE_CACHE: a start then costs half the processor time. The bundle of the workflows joins it there, so that a
// worker needs no compiler. The image is built with it.
import { getCompileCacheDir } from 'node:module';

for (const part of ['service', 'roles/api', 'roles/worker', 'cli/program'])
  await import(`../src/${part}.ts`);
const { workflowBundle } = await import('../src/temporal/bundle.ts');
await workflowBundle(getCompileCacheDir());
process.exit(0);
