import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { endProcess } from '../../src/embedded/processes.ts';
import type { EmbeddedTemporal } from '../../src/embedded/temporal.ts';
import type { Service } from '../support/house/house.ts';
import { acceptedSettled, unconfirmed } from './acts.ts';
import { type Cluster, onCluster } from './cluster.ts';
import { invariantsHold, quiet } from './invariants.ts';
import { ownTemporal } from './own-temporal.ts';
import { onStage, type Stage } from './stage.ts';

const KILLS = Number(process.env['CHAOS_KILLS'] ?? 5);
const SEED = Number(process.env['CHAOS_SEED'] ?? Date.now() % 1_000_000);
/** 64 in flight and 32 claimed ahead. */
const RESERVED = 96;
const STANDSTILL_MS = 6_000;

/** Numbers from 0 to 1 that a seed repeats (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** What the service stands on, and its tests may take away. */
interface Ground {
  readonly dataDir: string;
  readonly first: EmbeddedTemporal;
  readonly cluster: Cluster;
}

/** Two workers and the API around one campaign after the other; each part can be hurt, and comes back. */
async function openCrew(stage: Stage, { dataDir, first, cluster }: Ground) {
  const { start } = stage.house;
  const [api, ...workers] = await Promise.all([start('api'), start('worker'), start('worker')]);
  const crew = { api, workers, temporal: first };
  const deeds: Record<string, (which: number) => Promise<void>> = {
    'kill a worker': async (which) => {
      await crew.workers[which]?.kill('SIGKILL');
      crew.workers[which] = await start('worker');
    },
    'end a worker': async (which) => {
      await crew.workers[which]?.kill('SIGTERM');
      crew.workers[which] = await start('worker');
    },
    'halt a worker': async (which) => {
      const pid = crew.workers[which]?.pid ?? 0;
      process.kill(pid, 'SIGSTOP');
      await sleep(STANDSTILL_MS);
      process.kill(pid, 'SIGCONT');
    },
    'kill the API': async () => {
      await crew.api.kill('SIGKILL');
      crew.api = await start('api');
    },
    'restart PostgreSQL': () => cluster.restart(),
    'kill Temporal': async () => {
      await endProcess(crew.temporal.pid, 'SIGKILL');
      const port = Number(stage.temporalAddress.split(':')[1]);
      crew.temporal = await ownTemporal(dataDir, port);
    },
  };
  return { crew, deeds };
}

/** One campaign after the other, until it is told to stop. */
function keepBusy(stage: Stage, api: () => Service): () => Promise<string[]> {
  const begun: string[] = [];
  let stopped = false;
  const run = async (): Promise<void> => {
    while (!stopped) {
      // PostgreSQL may be away: then there is nothing to begin.
      const campaign = await another(stage).catch(() => null);
      if (campaign) {
        await beginSurely(stage, api, campaign);
        begun.push(campaign);
      }
      await sleep(250);
    }
  };
  const running = run();
  return async () => {
    stopped = true;
    await running;
    return begun;
  };
}

async function another(stage: Stage): Promise<string | null> {
  const open = await stage.rows(`select id from campaigns where status = 'sending'`);
  return open.length < 2 ? stage.aCampaign(200) : null;
}

/** Asks again with the same key, as a careful caller does, for the API may die before it answers. */
async function beginSurely(stage: Stage, api: () => Service, campaign: string): Promise<void> {
  const path = `/campaigns/${campaign}/send`;
  const options = { idempotencyKey: `send-${campaign}` };
  for (let status = 0; status !== 200; ) {
    const reply = await stage.call(api(), 'POST', path, options).catch(() => null);
    status = reply?.status ?? 0;
    expect([0, 200, 503]).toContain(status);
    if (status !== 200) await sleep(200);
  }
}

async function withTemporal(
  play: (ground: Pick<Ground, 'dataDir' | 'first'>) => Promise<void>,
): Promise<void> {
  const base = process.env['TEST_RUN_FOLDER'] ?? '/tmp';
  const dataDir = fs.mkdtempSync(path.join(base, 'temporal-'));
  const first = await ownTemporal(dataDir);
  try {
    await play({ dataDir, first });
  } finally {
    const state = JSON.parse(fs.readFileSync(path.join(dataDir, 'temporal.json'), 'utf8'));
    await endProcess(state.pid as number, 'SIGKILL');
    fs.rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Hurts one part after the other and waits for rest; writes each deed down as it begins. */
async function play(ground: Ground, done: string[]): Promise<void> {
  const stands = { database: ground.cluster, temporalAddress: ground.first.address };
  await onStage(stands, async (stage) => {
    await stage.house.simulator.faults({ latency_ms: 100 });
    const random = randomFrom(SEED);
    const { crew, deeds } = await openCrew(stage, ground);
    const names = Object.keys(deeds);
    const stop = keepBusy(stage, () => crew.api);
    while (done.length < KILLS) {
      await sleep(1_000 + 2_000 * random());
      const name = names[Math.floor(random() * names.length)] ?? '';
      done.push(name);
      await deeds[name]?.(Math.floor(random() * 2));
    }
    const campaigns = await stop();
    await quiet(stage, 120_000);
    await acceptedSettled(stage);
    await quiet(stage);

    const { missing } = await unconfirmed(stage);
    expect(missing).toBeLessThanOrEqual(RESERVED * KILLS);
    await invariantsHold(stage, crew.api, { campaigns, kills: KILLS, spare: 64 * KILLS });
  });
}

describe('a service whose parts are killed at random', () => {
  it(
    'loses no message and no webhook, and sends nothing twice',
    async () => {
      const done: string[] = [];

      const played = onCluster((cluster) =>
        withTemporal((parts) => play({ ...parts, cluster }, done)),
      );

      await played.catch((cause: unknown) => {
        const run = `CHAOS_SEED=${SEED} CHAOS_KILLS=${KILLS}`;
        throw new Error(`${run}: ${done.join(', ')}`, { cause });
      });
    },
    240_000 + 15_000 * KILLS,
  );
});
