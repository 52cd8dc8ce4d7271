/**
 * Outlives the benchmark by a moment: once that is gone, however it ended, it ends the servers that would go on
 * using the cores, and removes their folder, its argument.
 */
import fs from 'node:fs';
import path from 'node:path';
import { runningPostmaster } from '../../src/embedded/postgres/postmaster.ts';
import { endProcess } from '../../src/embedded/processes.ts';
import { runningTemporal } from '../../src/embedded/temporal/running.ts';

const [, , folder = ''] = process.argv;

// Ctrl-C reaches every process of a terminal.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
process.stdin.once('end', () => void clean()).resume();

async function clean(): Promise<void> {
  const temporal = runningTemporal(path.join(folder, 'temporal'));
  const postgres = runningPostmaster(path.join(folder, 'postgres'));
  if (temporal) await endProcess(temporal.pid);
  if (postgres) await endProcess(postgres.pid, 'SIGQUIT');
  fs.rmSync(folder, { recursive: true, force: true });
}
