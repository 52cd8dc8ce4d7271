import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive } from './processes.ts';

function take(file: string): boolean {
  try {
    fs.writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  }
}

function holder(file: string): number {
  try {
    return Number(fs.readFileSync(file, 'utf8'));
  } catch {
    return 0;
  }
}

/**
 * One process at a time, for work on a shared folder. The lock of a process that was killed is
 * broken; a pid of 0 is a holder that is just writing its file.
 */
export async function withLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  while (!take(file)) {
    const pid = holder(file);
    if (pid > 0 && !isAlive(pid)) fs.rmSync(file, { force: true });
    else await sleep(50);
  }
  try {
    return await work();
  } finally {
    fs.rmSync(file, { force: true });
  }
}
