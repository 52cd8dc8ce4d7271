import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { workflowBundle } from '../../src/temporal/bundle.ts';
import { until } from '../support/house/child.ts';
import { acceptedAtLeast, begin } from './acts.ts';
import { invariantsHold, quiet } from './invariants.ts';
import { onStage, type Stage } from './stage.ts';

const RUN_FOLDER = process.env['TEST_RUN_FOLDER'] ?? '/tmp';

/** A data folder whose workflows take another way from their first step on: a release nobody replayed. */
async function changedRelease(): Promise<string> {
  const { codePath } = await workflowBundle(path.join(RUN_FOLDER, 'house'));
  const folder = fs.mkdtempSync(path.join(RUN_FOLDER, 'changed-'));
  const code = fs.readFileSync(codePath, 'utf8');
  const changed = code.replaceAll('advanceCampaign', 'approachCampaign');
  expect(changed).not.toBe(code);
  fs.writeFileSync(path.join(folder, path.basename(codePath)), changed);
  return folder;
}

/** The run as an operator sees it: its status, and how often its present step was tried. */
async function look(stage: Stage, campaign: string): Promise<{ status: string; attempt: number }> {
  const connection = await Connection.connect({ address: stage.temporalAddress });
  try {
    const handle = new Client({ connection }).workflow.getHandle(`campaign:${campaign}`);
    const { status, raw } = await handle.describe();
    return { status: status.name, attempt: raw.pendingWorkflowTask?.attempt ?? 0 };
  } finally {
    await connection.close();
  }
}

describe('a release whose workflow code goes another way', () => {
  it(
    'fails no campaign under way: it waits, and ends once the release is taken back',
    () =>
      onStage({}, async (stage) => {
        const { start, simulator } = stage.house;
        await simulator.faults({ latency_ms: 500 });
        const [api, before] = await Promise.all([start('api'), start('worker')]);
        const campaign = await stage.aCampaign(400);
        await begin(stage, api, campaign);
        await acceptedAtLeast(stage, 50);

        await before.kill('SIGTERM');
        const changed = await start('worker', { DATA_DIR: await changedRelease() });
        await until(
          'the run is refused again and again',
          async () => (await look(stage, campaign)).attempt >= 3,
          { child: changed },
        );
        expect((await look(stage, campaign)).status).toBe('RUNNING');
        await changed.kill('SIGTERM');
        await start('worker');
        await quiet(stage);

        expect(await simulator.accepted()).toHaveLength(400);
        const [detail] = await invariantsHold(stage, api, { campaigns: [campaign], spare: 0 });
        expect(detail).toMatchObject({ status: 'done', results: { unconfirmed: 0, failed: 0 } });
      }),
    120_000,
  );
});
