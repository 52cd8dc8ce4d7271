import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { NativeConnection, Worker } from '@temporalio/worker';
import { connectTemporal, type Temporal } from '../../src/temporal/connection.ts';
import { ensureSchedules } from '../../src/temporal/schedules.ts';
import { devServer, workflowBundle } from '../support/env.ts';
import { openShell, type Shell } from '../support/shell.ts';
import { eventually } from '../support/waiting.ts';

const { address } = devServer();
/** Schedules have the same names everywhere. */
const namespace = `schedules-${randomUUID()}`;
let temporal: Temporal;
let shell: Shell;

beforeAll(async () => {
  temporal = connectTemporal({ address, namespace });
  await temporal.connection.workflowService.registerNamespace({
    namespace,
    workflowExecutionRetentionPeriod: { seconds: 86_400 } as never,
  });
  // It takes the server a moment to know it everywhere.
  await eventually(() =>
    ensureSchedules(temporal.client, namespace).then(
      () => true,
      () => false,
    ),
  );
  shell = await openShell({
    TEMPORAL_ADDRESS: address,
    TEMPORAL_NAMESPACE: namespace,
    TEMPORAL_TASK_QUEUE: namespace,
  });
});
afterAll(async () => {
  await shell.close();
  await temporal.close();
});

const schedule = (name: string) => temporal.client.schedule.getHandle(`upkeep:${name}`);
const explain = async (name: string) =>
  (await shell.wmsAnywhere('ops', 'explain', `upkeep:${name}`, '--json')).json;

/** What it says of the Schedules. */
async function doctor(): Promise<{ ok: boolean; says: string }> {
  const { json } = await shell.wmsAnywhere('doctor', '--json');
  return json.findings.find(({ check }: { check: string }) => check === 'upkeep');
}

it.each([
  ['reports', { start: 7, end: 7, step: 1 }, 3_600_000],
  ['idle-closing', { start: 0, end: 59, step: 5 }, 60_000],
])(
  'upkeep:%s never runs beside itself, and is caught up on after an outage only if the next run is an hour away',
  async (name, minute, catchupWindow) => {
    const { spec, policies } = await schedule(name).describe();

    expect(spec.calendars).toMatchObject([{ minute: [minute] }]);
    expect(policies).toMatchObject({ overlap: 'SKIP', catchupWindow });
  },
);

it('wms doctor names Schedules that are paused or missing', async () => {
  const before = await doctor();
  await schedule('message-history').pause();
  await schedule('reports').delete();
  const during = await doctor();
  const { error } = await explain('reports');
  await schedule('message-history').unpause();
  await ensureSchedules(temporal.client, namespace);

  expect(before).toMatchObject({ ok: true, says: `on the task queue ${namespace}` });
  expect(during.ok).toBe(false);
  expect(during.says).toContain('upkeep:message-history is paused');
  expect(during.says).toContain('There is no Schedule upkeep:reports');
  expect(during.says.match(/upkeep:/g)).toHaveLength(2);
  expect(error.message).toMatch(/^There is no Schedule upkeep:reports\. .+ within a minute\.$/);
  expect(await doctor()).toMatchObject({ ok: true });
});

it.each([
  ['reports', / late until then and nothing is lost\.$/],
  ['automations', / more than an hour late by then is missed\.$/],
])('wms ops explain says what a pause of upkeep:%s costs', async (name, costs) => {
  await schedule(name).pause();

  const { paused, todo } = await explain(name);
  await schedule(name).unpause();

  expect([paused, todo]).toEqual([true, expect.stringMatching(costs)]);
});

it('wms ops explain says of a Schedule what its run fails at, which does not go on', async () => {
  // On the queue of the others this worker would be asked for their runs, too.
  const id = `upkeep:stuck-${randomUUID()}`;
  const action = {
    ...({ type: 'startWorkflow', workflowType: 'rollUpReports', workflowId: id } as const),
    taskQueue: id,
    args: [],
  };
  const stuck = await temporal.client.schedule.create({ scheduleId: id, spec: {}, action });
  const connection = await NativeConnection.connect({ address });
  const rollUpReports = () => Promise.reject(new Error('disk full'));
  const place = { connection, namespace, taskQueue: id, workflowBundle };
  const worker = await Worker.create({ ...place, activities: { rollUpReports } });
  const running = worker.run();
  const seen = async () => (await shell.wmsAnywhere('ops', 'explain', id, '--json')).json;
  const before = await seen();
  await stuck.trigger();

  await eventually(async () => (await seen()).trouble !== null);
  const { says, todo } = await seen();
  worker.shutdown();
  await running;
  await connection.close();

  expect(before).toMatchObject({ trouble: null, todo: expect.stringMatching(/^Nothing\./) });
  expect(says).toMatch(
    / Its run upkeep:stuck-\S+Z does not go on: its activity rollUpReports was tried \d+ times: disk full\.$/,
  );
  expect(todo).toMatch(/^Remove the cause;/);
});
