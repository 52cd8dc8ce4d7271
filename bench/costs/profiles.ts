/** Where the time goes: the dearest functions of both starts and of the three hot paths, by Node's own profiler. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createKeyring } from '../../src/crypto/keyring.ts';
import { prepareReads, READ_PATH } from '../authenticated-read.ts';
import { runCampaign } from '../campaign.ts';
import { type AttemptScene, drip, flood, tidy } from '../first-attempts.ts';
import {
  functionOf,
  monotonicMicros,
  profiled,
  readProfiles,
  roomOf,
  type Span,
  type Spent,
  spentIn,
} from '../support/cpu-profile.ts';
import { startLoadGenerator } from '../support/load-generator.ts';
import { type BenchStage, onBenchStage } from '../support/stage.ts';
import { openReceiverStage } from '../support/webhook-stage.ts';

export interface ProfileSizes {
  readonly seconds: number;
  readonly events: number;
  readonly recipients: number;
  readonly pace: number;
}

type Process = Awaited<ReturnType<BenchStage['processes']['start']>>;

const TOP = 10;

/** One process under the profiler. */
async function watched(processes: BenchStage['processes'], role: 'api' | 'worker') {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'wms-profile-'));
  const from = monotonicMicros();
  const child = await processes.start(role, profiled(folder));
  return { folder, child, started: { from, upto: monotonicMicros() } };
}

async function spanOf(work: () => Promise<unknown>): Promise<Span> {
  const from = monotonicMicros();
  await work();
  return { from, upto: monotonicMicros() };
}

function printSpent(title: string, spent: Spent): void {
  const all = spent.reduce((sum, [, ms]) => sum + ms, 0);
  console.log(`\n${title}: ${all.toFixed(0)} ms on the processor`);
  for (const [what, ms] of spent.slice(0, TOP))
    console.log(
      `${((ms / all) * 100).toFixed(1).padStart(6)} %  ${ms.toFixed(0).padStart(6)}  ${what}`,
    );
}

/** Ends the process, so that it writes its profile, and prints what each part of its life was spent on. */
async function printTops(
  { folder, child }: { folder: string; child: Process },
  spans: Readonly<Record<string, Span>>,
): Promise<void> {
  await child.kill('SIGTERM');
  const profiles = readProfiles(folder, child.pid);
  for (const [what, span] of Object.entries(spans)) {
    printSpent(`${what}, by function`, spentIn(profiles, span, functionOf));
    printSpent(`${what}, by package or folder`, spentIn(profiles, span, roomOf));
  }
  console.log(`\nthe whole of it, for a flame graph: ${folder}`);
}

const reads = ({ seconds }: ProfileSizes): Promise<void> =>
  onBenchStage(async ({ cluster, processes }) => {
    const { keys } = await prepareReads(cluster, { contacts: 10_000, keys: 200 });
    const keyFile = path.join(cluster.folder, 'keys');
    fs.writeFileSync(keyFile, keys.join('\n'), { mode: 0o600 });
    const api = await watched(processes, 'api');
    const generator = startLoadGenerator(keyFile);
    const ask = (duration: number) =>
      generator.ask({ url: api.child.baseUrl + READ_PATH, seconds: duration, connections: 32 });
    await ask(3);
    const reading = await spanOf(() => ask(seconds));
    await generator.close();
    await printTops(api, { 'start of an api': api.started, 'API reads': reading });
  });

async function attempts({ events, pace }: ProfileSizes): Promise<void> {
  await using closing = new AsyncDisposableStack();
  const { receiver, stage, targets, grow } = await openReceiverStage(closing);
  await grow(20);
  const worker = await watched(stage.processes, 'worker');
  const scene: AttemptScene = { stage, targets, receiver, watched: stage.watched };
  await flood(scene, 2_000);
  const flooding = await spanOf(() => flood(scene, events));
  await tidy(stage);
  await drip(scene, pace, 10);
  const dripping = await spanOf(() => drip(scene, pace, 20));
  await printTops(worker, {
    'start of a worker': worker.started,
    [`first attempts, ${events} events`]: flooding,
    [`first attempts, ${pace} events/s for 20 s`]: dripping,
  });
}

const campaign = ({ recipients }: ProfileSizes): Promise<void> =>
  onBenchStage(async (scene) => {
    const api = await watched(scene.processes, 'api');
    const worker = await watched(scene.processes, 'worker');
    const keyring = createKeyring(scene.processes.encryptionKeys);
    const stage = { ...scene, keyring, watched: [] };
    await runCampaign(stage, 1_000, 0);
    const slow = await spanOf(() => runCampaign(stage, recipients, 50));
    const atOnce = await spanOf(() => runCampaign(stage, recipients, 0));
    const spans = {
      [`a campaign of ${recipients}, answers after 50 ms`]: slow,
      [`a campaign of ${recipients}, answers at once`]: atOnce,
    };
    console.log('\nworker');
    await printTops(worker, spans);
    console.log('\napi');
    await printTops(api, spans);
  });

/** Profiling slows the process down: the shares are right, the absolute times are not. */
export async function benchProfiles(sizes: ProfileSizes): Promise<boolean> {
  await reads(sizes);
  await attempts(sizes);
  await campaign(sizes);
  return true;
}
