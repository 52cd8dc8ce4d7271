import fs from 'node:fs';
import type { Watched } from './cpu.ts';

const KB = 1_024;

/** Kilobytes; what several processes share, as PostgreSQL's buffers, is divided among them. */
function proportionalKb(pid: string | number): number {
  try {
    const text = fs.readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1');
    return Number(/^Pss:\s+(\d+) kB/m.exec(text)?.[1] ?? 0);
  } catch {
    return 0;
  }
}

const parentOf = (pid: string): number => {
  try {
    return Number(/^PPid:\s+(\d+)/m.exec(fs.readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]);
  } catch {
    return 0;
  }
};

/** Megabytes of memory that a process has in use, with its children when they are watched too. */
export function memoryMb({ pid, children = false }: Watched): number {
  const own = proportionalKb(pid);
  if (!children) return own / KB;
  const others = fs
    .readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && parentOf(name) === pid);
  return others.reduce((sum, other) => sum + proportionalKb(other), own) / KB;
}
