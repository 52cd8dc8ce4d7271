import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Connection, Client as TemporalClient } from '@temporalio/client';
import { pino } from 'pino';
import type { Context } from '../../src/context.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { sweep } from '../../src/db/sweeping.ts';
import { createLog } from '../../src/log.ts';
import { keepTemporalSetUp } from '../../src/relay/temporal-setup.ts';
import { daysWriting } from '../../src/reports/rollup.ts';
import { connectTemporal } from '../../src/temporal/connection.ts';
import { ensureSchedules, lookAtSchedules, otherQueues } from '../../src/temporal/schedules.ts';
import { devServer } from '../support/env.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { runUpkeep } from '../support/upkeep.ts';
import { eventually } from '../support/waiting.ts';
import { NOW, openReportScene, type ReportScene } from './support/scene.ts';

let scene: ReportScene;

beforeAll(async () => {
  scene = await openReportScene();
});
afterAll(async () => {
  await scene.door.close();
});

const log = createLog({ level: 'silent', format: 'json' });

const daysOf = (organizationId: string): Promise<{ day: string }[]> =>
  inWorkspace(scene.door.database, organizationId, (sql) =>
    sql.rows('select day from report_days where organization_id = $1 order by day', [
      organizationId,
    ]),
  );

const aCampaignOf = ({ organizationId }: Context): Promise<unknown> =>
  inWorkspace(scene.door.database, organizationId, (sql) =>
    sql.rows(
      `insert into campaigns (organization_id, id, name, status, target, text, pace, created_by, created_at)
       values ($1, 'cmp_1', 'Oi', 'draft', 'contacts', 'Oi', 60, '{}', $2)`,
      [organizationId, new Date(NOW.getTime() - 86_400_000)],
    ),
  );

describe('the upkeep of reports', () => {
  it('writes down the days that are over, of every workspace that has messages', async () => {
    const { workspaceId: quiet } = await aWorkspace(scene.door.database, { now: NOW });
    const { database } = scene.door;

    await runUpkeep({ workflow: 'rollUpReports', history: 'roll-up-reports', database, now: NOW });

    expect(await daysOf(scene.ctx.organizationId)).toEqual([
      { day: '2026-11-19' },
      { day: '2026-11-20' },
    ]);
    expect(await daysOf(quiet)).toEqual([]);
  });

  it('passes over a workspace that cannot be counted, and comes to those behind it', async () => {
    const { database } = scene.door;
    const { ctx: broken } = await aWorkspace(database, { now: NOW });
    await inWorkspace(database, broken.organizationId, (sql) =>
      sql.rows(`update workspaces set time_zone = 'Mars/Olympus' where organization_id = $1`, [
        broken.organizationId,
      ]),
    );
    await aCampaignOf(broken);
    const failures: string[] = [];
    const mayGoOn = () => true;
    const sweepWith = (failed: (id: string) => void) =>
      sweep(
        daysWriting(database, { now: NOW, mayGoOn }),
        { after: '', done: 0 },
        { mayGoOn, failed },
      );

    const { finished } = await sweepWith((id) => failures.push(id));

    expect([finished, failures]).toEqual([true, [broken.organizationId]]);
    const unkind = () => {
      throw new Error('tried again');
    };
    await expect(sweepWith(unkind)).rejects.toThrow('tried again');
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

  it('is known to run on another queue than the workers’', async () => {
    const temporal = connectTemporal({ address: devServer().address, namespace: 'default' });
    await ensureSchedules(temporal.client, 'upkeep-tests');
    const { action } = await temporal.client.schedule.getHandle('upkeep:keys').describe();

    const others = otherQueues(await lookAtSchedules(temporal.client), 'renamed');

    expect(others).toContain(action.taskQueue);
    expect(others).not.toContain('renamed');
    await temporal.close();
  });

  it('is missed in the log of a worker with another queue, once', async () => {
    const temporal = connectTemporal({ address: devServer().address, namespace: 'default' });
    await ensureSchedules(temporal.client, 'upkeep-tests');
    const said: string[] = [];
    let looks = 0;
    const showServer = async (): Promise<number> => {
      looks += 1;
      return 0;
    };
    const errors = pino({ level: 'error' }, { write: (line) => said.push(line) });

    const keeper = keepTemporalSetUp({ temporal, taskQueue: 'renamed', showServer }, errors, 20);
    keeper.start();
    await eventually(() => looks > 2);
    await keeper.stop();

    expect(said).toEqual([expect.stringContaining('if TEMPORAL_TASK_QUEUE was changed')]);
    await temporal.close();
  });

  it('has its Schedule again after Temporal was emptied', async () => {
    const temporal = connectTemporal({ address: devServer().address, namespace: 'default' });
    const schedule = temporal.client.schedule.getHandle('upkeep:reports');
    const keeper = keepTemporalSetUp(
      { temporal, taskQueue: 'upkeep-tests', showServer: async () => 0 },
      log,
      20,
    );
    keeper.start();
    const isThere = () =>
      schedule.describe().then(
        () => true,
        () => false,
      );
    await eventually(isThere);
    await schedule.delete();

    await eventually(isThere);

    const { action } = await schedule.describe();
    // A busy server may have been too late at one of the looks.
    await eventually(() => keeper.problem() === null);
    await keeper.stop();
    expect(action).toMatchObject({ workflowType: 'rollUpReports' });
    await temporal.close();
  });
});
