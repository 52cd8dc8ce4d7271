import fs from 'node:fs';

/** A process whose CPU seconds are wanted; `children` adds those it started, ended ones too. */
export interface Watched {
  readonly name: string;
  readonly pid: number;
  readonly children?: boolean;
}

export interface Usage {
  /** CPU seconds, user and system, by the names given. */
  readonly seconds: Readonly<Record<string, number>>;
  /** Cores that programs outside of this measurement kept busy, on average. */
  readonly elsewhere: number;
}

/** CPU seconds of some of them together. */
export const cpuOf = (usage: Usage, names: readonly string[]): number =>
  names.reduce((sum, name) => sum + (usage.seconds[name] ?? 0), 0);

/** Ticks of /proc in a second: a constant of Linux's interface to programs. */
const TICKS = 100;
// Behind the name in parentheses, which may itself hold spaces: state is 0, ppid 1, utime 11.
const PPID = 1;
const UTIME = 11;
const STIME = 12;
const CHILDREN_UTIME = 13;
const CHILDREN_STIME = 14;

function statOf(pid: number | string): number[] | null {
  try {
    const text = fs.readFileSync(`/proc/${pid}/stat`, 'latin1');
    return text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
  } catch {
    return null;
  }
}

const sum = (stat: readonly number[] | null, fields: readonly number[]): number =>
  fields.reduce((total, field) => total + (stat?.[field] ?? 0), 0) / TICKS;

/** CPU seconds, user and system, since it began. Throws when it is gone. */
export function cpuSecondsOf({ pid, children = false }: Watched): number {
  const own = statOf(pid);
  if (!own) throw new Error(`process ${pid} is gone: its CPU time cannot be read`);
  if (!children) return sum(own, [UTIME, STIME]);
  const alive = fs
    .readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(statOf)
    .filter((stat) => stat?.[PPID] === pid);
  return alive.reduce(
    (total, stat) => total + sum(stat, [UTIME, STIME]),
    sum(own, [UTIME, STIME, CHILDREN_UTIME, CHILDREN_STIME]),
  );
}

/** CPU seconds that the whole machine was busy: all but idle and waiting for disks. */
function machineSeconds(): number {
  const line = fs.readFileSync('/proc/stat', 'latin1').split('\n', 1)[0] ?? '';
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] = line
    .trim()
    .split(/\s+/)
    .slice(1)
    .map(Number);
  return (user + nice + system + irq + softirq) / TICKS;
}

/** Begins to count; the function returned ends it. This process is among them as `driver`. */
export function meter(watched: readonly Watched[]): () => Usage {
  const all = [...watched, { name: 'driver', pid: process.pid }];
  const before = all.map(cpuSecondsOf);
  const machineBefore = machineSeconds();
  const startedAt = performance.now();
  return () => {
    const used = all.map((one, i) => [one.name, cpuSecondsOf(one) - (before[i] ?? 0)] as const);
    const total = used.reduce((seconds, [, own]) => seconds + own, 0);
    const wall = (performance.now() - startedAt) / 1_000;
    return {
      seconds: Object.fromEntries(used),
      elsewhere: Math.max(0, (machineSeconds() - machineBefore - total) / wall),
    };
  };
}
