import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** What Node writes with `--cpu-prof`, as far as it is read here. Times are microseconds of the monotonic clock. */
interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: {
      readonly functionName: string;
      readonly url: string;
      readonly lineNumber: number;
    };
  }[];
  readonly startTime: number;
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** A part of a process's life, microseconds of the monotonic clock. */
export interface Span {
  readonly from: number;
  readonly upto: number;
}

/** Milliseconds spent in each function itself, without those it called; the most expensive first. */
export type Spent = readonly (readonly [what: string, ms: number])[];

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Now, on the clock of profiles. */
export const monotonicMicros = (): number => Number(process.hrtime.bigint() / 1_000n);

/** The environment of a process that writes its profile into `folder` when it ends by itself. */
export const profiled = (folder: string): Record<string, string> => ({
  NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${folder}`,
});

/** All profiles of one process: its own thread's, and those of the threads it had. */
export const readProfiles = (folder: string, pid: number): CpuProfile[] =>
  fs
    .readdirSync(folder)
    .filter((name) => name.split('.')[3] === String(pid))
    .map((name) => JSON.parse(fs.readFileSync(path.join(folder, name), 'utf8')) as CpuProfile);

type Frame = CpuProfile['nodes'][number]['callFrame'];

const placeOf = (url: string): string =>
  url
    .replace(/^file:\/\//, '')
    .replace(ROOT, '')
    .replace(/^.*node_modules\//, '');

/** A function and where it stands. */
export const functionOf = ({ functionName, url, lineNumber }: Frame): string =>
  url ? `${functionName || '(anonymous)'} ${placeOf(url)}:${lineNumber + 1}` : functionName;

/** A package, a folder of ours, or a part of Node. */
export function roomOf({ functionName, url }: Frame): string {
  if (!url) return functionName;
  if (url.startsWith('node:')) return url.split('/').slice(0, 2).join('/');
  const place = placeOf(url).split('/');
  const deep = url.includes('node_modules') ? place[0]?.startsWith('@') : place[0] === 'src';
  return place.slice(0, deep ? 2 : 1).join('/');
}

/** What the threads were busy with during `span`; waiting is left out. */
export function spentIn(
  profiles: readonly CpuProfile[],
  { from, upto }: Span,
  nameOf: (frame: Frame) => string,
): Spent {
  const spent = new Map<string, number>();
  for (const { nodes, startTime, samples, timeDeltas } of profiles) {
    const names = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]));
    let at = startTime;
    samples.forEach((id, n) => {
      at += timeDeltas[n] ?? 0;
      const name = names.get(id) ?? '';
      if (at < from || at > upto || name === '(idle)' || name === '(root)') return;
      // A sample stands for the time until the next one.
      spent.set(name, (spent.get(name) ?? 0) + (timeDeltas[n + 1] ?? 0) / 1_000);
    });
  }
  return [...spent].toSorted(([, a], [, b]) => b - a);
}
