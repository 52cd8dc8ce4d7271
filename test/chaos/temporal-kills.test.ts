import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { endProcess } from '../../src/embedded/processes.ts';
import type { EmbeddedTemporal } from '../../src/embedded/temporal/dev-server.ts';
import { until } from '../support/processes/child.ts';
import type { Service } from '../support/processes/processes.ts';
import { acceptedAtLeast, again, begin, statusOf } from './support/acts.ts';
import { invariantsHold, quiet } from './support/invariants.ts';
import { ownTemporal } from './support/own-temporal.ts';
import { type OpenChaosStage, openChaosStage } from './support/stage.ts';

const LIMIT_MS = 300_000;
const OUTAGE_MS = 5_000;

let dataDir: string;
let temporal: EmbeddedTemporal;
let stage: OpenChaosStage;
let api: Service;

beforeAll(async () => {
  dataDir = fs.mkdtempSync(path.join(process.env['TEST_RUN_FOLDER'] ?? '/tmp', 'temporal-'));
  temporal = await ownTemporal(dataDir);
  stage = await openChaosStage({ temporalAddress: temporal.address });
  [api] = await Promise.all([stage.processes.start('api'), stage.processes.start('worker')]);
}, LIMIT_MS);

afterAll(async () => {
  await stage?.close();
  await temporal?.stop();
  fs.rmSync(dataDir, { recursive: true, force: true });
}, LIMIT_MS);

const kill = (): Promise<void> => endProcess(temporal.pid, 'SIGKILL');

/** At the same address, as a service manager would. */
async function restart(): Promise<void> {
  const port = Number(temporal.address.split(':')[1]);
  temporal = await ownTemporal(dataDir, port);
  expect(temporal.address).toBe(stage.temporalAddress);
}

function wipe(): void {
  for (const name of fs.readdirSync(dataDir)) {
    if (name.startsWith('temporal.db')) fs.rmSync(path.join(dataDir, name));
  }
}

/** One campaign, slow enough to be under way for some seconds. */
async function underWay(people: number): Promise<string> {
  await stage.processes.simulator.faults({ latency_ms: 500 });
  const campaign = await stage.aCampaign(people);
  const before = (await stage.processes.simulator.accepted()).length;
  await begin(stage, api, campaign);
  await acceptedAtLeast(stage, before + 50);
  return campaign;
}

async function finished(people: number): Promise<string> {
  const campaign = await stage.aCampaign(people);
  await begin(stage, api, campaign);
  await quiet(stage);
  return campaign;
}

describe('while Temporal is away', () => {
  it(
    'the API answers, a pause holds, and afterwards everything that was accepted is done',
    async () => {
      const running = await underWay(800);
      await kill();
      const killedAt = Date.now();

      const paused = await stage.call(api, 'POST', `/campaigns/${running}/pause`);
      expect([paused.status, await statusOf(stage, running)]).toEqual([200, 'paused']);
      await until('those in flight are answered', async () => {
        const find = "select from campaign_recipients where status = 'sending' limit 1";
        return (await stage.rows(find)).length === 0;
      });
      const afterPause = (await stage.processes.simulator.accepted()).length;
      const waiting = await stage.aCampaign(30);
      await begin(stage, api, waiting);
      for (let second = 0; Date.now() - killedAt < OUTAGE_MS; second++) {
        const phone = `+55119829${String(second).padStart(5, '0')}`;
        const created = await stage.call(api, 'POST', '/contacts', {
          body: { name: 'Ivo', phone },
        });
        const read = await stage.call(api, 'GET', `/campaigns/${waiting}`);
        expect([created.status, read.status]).toEqual([201, 200]);
        await sleep(500);
      }
      expect(await stage.processes.simulator.accepted()).toHaveLength(afterPause);

      await restart();
      const resumed = await stage.call(api, 'POST', `/campaigns/${running}/resume`);
      expect(resumed.status).toBe(200);
      await quiet(stage);

      const details = await invariantsHold(stage, api, { campaigns: [running, waiting] });
      for (const detail of details) {
        expect(detail).toMatchObject({ status: 'done', results: { unconfirmed: 0, failed: 0 } });
      }
    },
    LIMIT_MS,
  );
});

describe('Temporal killed in a campaign', () => {
  it(
    'goes on from its file: the campaign ends, nobody twice',
    async () => {
      const campaign = await underWay(600);
      await kill();
      await restart();
      await quiet(stage);

      const [detail] = await invariantsHold(stage, api, { campaigns: [campaign] });
      expect(detail).toMatchObject({ status: 'done', results: { unconfirmed: 0, failed: 0 } });
    },
    LIMIT_MS,
  );

  it(
    'and emptied: what was under way is started again from PostgreSQL, what had ended is not',
    async () => {
      const ended = await finished(20);
      const campaign = await underWay(600);
      await kill();
      wipe();
      await restart();
      for (const id of [ended, campaign]) {
        await again(stage, {
          type: 'campaign.started',
          payload: JSON.stringify({ campaignId: id }),
        });
      }
      await quiet(stage);

      for (const detail of await invariantsHold(stage, api, { campaigns: [ended, campaign] })) {
        expect(detail).toMatchObject({ status: 'done', results: { unconfirmed: 0, failed: 0 } });
      }
    },
    LIMIT_MS,
  );
});
