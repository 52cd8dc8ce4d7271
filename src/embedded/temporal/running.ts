import fs from 'node:fs';
import path from 'node:path';
import { commandLine, isAlive } from '../processes.ts';

export interface State {
  readonly pid: number;
  readonly parent: number;
}

/** Of a server with this folder, an absolute path. `state` is written once it is launched. */
export const files = (dataDir: string): Record<'database' | 'state' | 'log', string> => ({
  database: path.join(dataDir, 'temporal.db'),
  state: path.join(dataDir, 'temporal.json'),
  log: path.join(dataDir, 'temporal.log'),
});

/** The dev server that runs with this folder; its pid may be another process's by now. */
export function runningTemporal(dataDir: string): State | undefined {
  const left = readState(dataDir);
  return left && isAlive(left.pid) && commandLine(left.pid).includes(files(dataDir).database)
    ? left
    : undefined;
}

/** Undefined without a whole one: its writer may be at it, or was killed. */
function readState(dataDir: string): State | undefined {
  try {
    return JSON.parse(fs.readFileSync(files(dataDir).state, 'utf8')) as State;
  } catch {
    return undefined;
  }
}
