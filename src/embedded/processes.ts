import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** A child that ended but was not reaped yet still answers to signal 0, but holds no resources. */
function isZombie(pid: number): boolean {
  if (process.platform !== 'linux') return false;
  try {
    return /^State:\s*Z/m.test(fs.readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return true;
  }
}

/** Whether a process with this pid runs, whoever owns it. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !isZombie(pid);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** The command line of a process, or "" if there is none. Pids are reused, so the name is compared too. */
export function commandLine(pid: number): string {
  try {
    if (process.platform === 'linux') {
      return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    }
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  } catch {
    return '';
  }
}

/** The parent's pid, or undefined when the process is gone. */
export function parentOf(pid: number): number | undefined {
  try {
    const status =
      process.platform === 'linux'
        ? (/^PPid:\s*(\d+)/m.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '')
        : execFileSync('ps', ['-o', 'ppid=', '-p', String(pid)], { encoding: 'utf8' });
    return Number(status) || undefined;
  } catch {
    return undefined;
  }
}

function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

/** Sends SIGTERM, waits `graceMs`, then kills the process. Resolves once it is gone. */
export async function endProcess(
  pid: number,
  politely: NodeJS.Signals = 'SIGTERM',
  graceMs = 10_000,
): Promise<void> {
  if (!signal(pid, politely)) return;
  const deadline = Date.now() + graceMs;
  let forced = false;
  while (isAlive(pid)) {
    if (!forced && Date.now() > deadline) {
      signal(pid, 'SIGKILL');
      forced = true;
    }
    await sleep(10);
  }
}
