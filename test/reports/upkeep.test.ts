import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Connection, Client as TemporalClient } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { upkeepActivities } from '../../activities/upkeep.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { ensureSchedules } from '../../src/temporal/schedules.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { keepHistory } from '../support/histories.ts';
import { devServer, timeSkipping, workflowBundle } from '../support/temporal.ts';
import { NOW, openReportScene, type ReportScene } from './support/scene.ts';

let scene: ReportScene;
let environment: TestWorkflowEnvironment;

beforeAll(async () => {
  scene = await openReportScene();
  environment = await timeSkipping();
}, 60_000);
afterAll(async () => {
  await environment.teardown();
  await scene.door.close();
});

const daysOf = (organizationId: string): Promise<{ day: string }[]> =>
  inWorkspace(scene.door.database, organizationId, (sql) =>
    sql.rows('select day from report_days where organization_id = $1 order by day', [
      organizationId,
    ]),
  );

describe('the upkeep of reports', () => {
  it('writes down the days that are over, of every workspace that has messages', async () => {
    const { workspaceId: quiet } = await aWorkspace(scene.door.database, { now: NOW });
    const taskQueue = `upkeep-${randomUUID()}`;
    const { database } = scene.door;
    const clock = { now: () => NOW, skewMs: 0 };
    const worker = await Worker.create({
      connection: environment.nativeConnection,
      taskQueue,
      workflowBundle,
      activities: upkeepActivities({ database, clock }),
    });

    await worker.runUntil(async () => {
      const handle = await environment.client.workflow.start('rollUpReports', {
        workflowId: `upkeep:reports-${randomUUID()}`,
        taskQueue,
      });
      await handle.result();
      await keepHistory(handle, 'roll-up-reports');
    });

    expect(await daysOf(scene.ctx.organizationId)).toEqual([
      { day: '2026-11-19' },
      { day: '2026-11-20' },
    ]);
    expect(await daysOf(quiet)).toEqual([]);
  });

  it('is asked for by a Schedule, which is made once', async () => {
    const connection = await Connection.connect({ address: devServer().address });
    const client = new TemporalClient({ connection });

    await ensureSchedules(client, 'upkeep-tests');
    await ensureSchedules(client, 'upkeep-tests');

    const { action, spec } = await client.schedule.getHandle('upkeep:reports').describe();
    expect(action).toMatchObject({ workflowType: 'rollUpReports', workflowId: 'upkeep:reports' });
    expect(spec.calendars).toHaveLength(1);
    await connection.close();
  });
});
