/**
 * Outlives the benchmark by a moment: once that is gone, however it ended, it ends the servers that would go on
 * using the cores, and removes their folder, its argument.
 */
import fs from 'node:fs';
import path from 'node:path';
import { endProcess } from '../../src/embedded/processes.ts';

const [, , folder = ''] = process.argv;

// Ctrl-C reaches every process of a terminal.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
process.stdin.once('end', () => void clean()).resume();

async function clean(): Promise<void> {
  const postmaster = read('postgres/postmaster.pid').split('\n')[0];
  const temporal = /"pid":\s*(\d+)/.exec(read('temporal/temporal.json'))?.[1];
  if (temporal) await endProcess(Number(temporal));
  if (postmaster) await endProcess(Number(postmaster), 'SIGQUIT');
  fs.rmSync(folder, { recursive: true, force: true });
}

function read(file: string): string {
  try {
    return fs.readFileSync(path.join(folder, file), 'utf8');
  } catch {
    return '';
  }
}
