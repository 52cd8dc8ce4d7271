import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Samples<T> {
  readonly values: readonly T[];
  stop(): Promise<void>;
}

/** Asks every so many milliseconds until it is stopped. An error ends the measurement when it stops. */
export function sample<T>(everyMs: number, ask: () => Promise<T> | T): Samples<T> {
  const values: T[] = [];
  let stopped = false;
  const asking = (async () => {
    while (!stopped) {
      values.push(await ask());
      await sleep(everyMs);
    }
  })();
  asking.catch(() => {});
  return {
    values,
    stop: async () => {
      stopped = true;
      await asking;
    },
  };
}

/** Megabytes of memory that a process has in use. */
export function residentMb(pid: number): number {
  const status = fs.readFileSync(`/proc/${pid}/status`, 'latin1');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? Number.NaN) / 1_024;
}
