#!/usr/bin/env node
// The `wms` command on any Node: hands over to one that runs TypeScript as it is.
import { fileURLToPath } from 'node:url';
import { run } from '../scripts/run.mjs';

run([fileURLToPath(new URL('../src/cli/main.ts', import.meta.url)), ...process.argv.slice(2)]);
