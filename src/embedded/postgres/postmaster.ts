import fs from 'node:fs';
import path from 'node:path';
import { commandLine, isAlive } from '../processes.ts';

export interface Postmaster {
  readonly pid: number;
  readonly port: number;
  /** It answers, if only for reading as a standby. */
  readonly ready: boolean;
}

/**
 * What a cluster's folder says of its server, which may have been killed since. postmaster.pid: line 1 the pid, line 4
 * the port, line 8 the state.
 */
export function readPostmaster(dataDir: string): Postmaster | undefined {
  try {
    const lines = fs.readFileSync(path.join(dataDir, 'postmaster.pid'), 'utf8').split('\n');
    const ready = ['ready', 'standby'].includes(lines[7]?.trim() ?? '');
    return { pid: Number(lines[0]), port: Number(lines[3]), ready };
  } catch {
    return undefined;
  }
}

/** The server that runs with this folder, an absolute path; its pid may be another process's by now. */
export function runningPostmaster(dataDir: string): Postmaster | undefined {
  const left = readPostmaster(dataDir);
  return left && isAlive(left.pid) && commandLine(left.pid).includes(dataDir) ? left : undefined;
}

/** The port that this cluster was last started with: the server keeps its command line in postmaster.opts. */
export function lastPort(dataDir: string): number | undefined {
  try {
    const options = fs.readFileSync(path.join(dataDir, 'postmaster.opts'), 'utf8');
    return Number(/ "-p" "(\d{1,5})"/.exec(options)?.[1]) || undefined;
  } catch {
    return undefined;
  }
}
