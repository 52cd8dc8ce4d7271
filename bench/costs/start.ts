/** (u) From nothing to ready: what starting a process of the service costs, by its role. */
import fs from 'node:fs';
import path from 'node:path';
import { cpuSecondsOf, type Watched } from '../support/cpu.ts';
import { type Figure, report } from '../support/report.ts';
import { type BenchStage, onBenchStage } from '../support/stage.ts';

export interface StartSizes {
  readonly runs: number;
}

type Role = Parameters<BenchStage['processes']['start']>[0];

interface Start {
  readonly cpuSeconds: number;
  readonly wallMs: number;
  readonly megabytes: number;
}

/** @param compiled the folder of Node's compile cache; empty for none */
async function start({ processes }: BenchStage, role: Role, compiled: string): Promise<Start> {
  const startedAt = performance.now();
  const child = await processes.start(role, { NODE_COMPILE_CACHE: compiled });
  const wallMs = performance.now() - startedAt;
  const watched: Watched = { name: role, pid: child.pid };
  const cpuSeconds = cpuSecondsOf(watched);
  const pages = Number(fs.readFileSync(`/proc/${child.pid}/statm`, 'utf8').split(' ')[1]);
  // Exits normally, because only then does Node write its compile cache.
  await child.kill('SIGTERM');
  return { cpuSeconds, wallMs, megabytes: (pages * 4_096) / 1e6 };
}

function figures(what: string, starts: readonly Start[]): Figure[] {
  return [
    { what: `${what}: CPU s`, values: starts.map((one) => one.cpuSeconds), digits: 2 },
    { what: `${what}: until ready, ms`, values: starts.map((one) => one.wallMs) },
    { what: `${what}: memory then, MB`, values: starts.map((one) => one.megabytes) },
  ];
}

async function starts(
  scene: BenchStage,
  role: Role,
  kept: boolean,
  runs: number,
): Promise<Figure[]> {
  const compiled = kept ? path.join(scene.cluster.folder, 'compiled') : '';
  await start(scene, role, compiled);
  const all: Start[] = [];
  for (let run = 0; run < runs; run++) all.push(await start(scene, role, compiled));
  return figures(`${role}${kept ? ', compiled before' : ''}`, all);
}

export const benchStart = ({ runs }: StartSizes): Promise<boolean> =>
  onBenchStage(async (scene) => {
    const all = [
      ...(await starts(scene, 'api', false, runs)),
      ...(await starts(scene, 'api', true, runs)),
      ...(await starts(scene, 'worker', false, runs)),
      ...(await starts(scene, 'worker', true, runs)),
    ];
    return report(`(u) the start of a process, ${runs} of each kind`, all, []);
  });
