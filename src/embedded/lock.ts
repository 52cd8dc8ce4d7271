import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive } from './processes.ts';
import { StartError } from './start-error.ts';

const PATIENCE_MS = 300_000;

/** Takes the lock with the holder's pid already in it: a link appears atomically. */
function take(file: string): boolean {
  const own = `${file}.${process.pid}`;
  fs.writeFileSync(own, String(process.pid));
  try {
    fs.linkSync(own, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  } finally {
    fs.rmSync(own, { force: true });
  }
}

function read(file: string): number | undefined {
  try {
    return Number(fs.readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Removes a dead holder's lock. If someone else took the lock at the same moment, it is put back. */
function breakLock(file: string, deadHolder: number): void {
  const aside = `${file}.broken.${process.pid}`;
  try {
    fs.renameSync(file, aside);
    if (read(aside) !== deadHolder) fs.linkSync(aside, file);
  } catch {
    // Another process broke it, or took it; the next look will tell.
  } finally {
    fs.rmSync(aside, { force: true });
  }
}

/** What this process holds, by its absolute path. */
const held = new Set<string>();

/** Pids are reused, and in a container they are always the same ones: one of before may have had ours. */
const isLeft = (file: string, pid: number): boolean =>
  pid === process.pid ? !held.has(path.resolve(file)) : !isAlive(pid);

/** Runs work on a shared folder in one process at a time. The lock of a killed process is broken. */
export async function withLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + PATIENCE_MS;
  while (!take(file)) {
    const pid = read(file);
    if (pid !== undefined && isLeft(file, pid)) breakLock(file, pid);
    else if (Date.now() > deadline) {
      throw new StartError(
        `Process ${pid} holds ${file}. End it, or remove the file, and start again.`,
      );
    } else await sleep(25);
  }
  held.add(path.resolve(file));
  try {
    return await work();
  } finally {
    fs.rmSync(file, { force: true });
    held.delete(path.resolve(file));
  }
}
