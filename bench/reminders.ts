/** (i) Reminders: what thousands cost while they sleep, and the rush of those that are due in one minute. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { Context } from '../src/context.ts';
import { type Database, inWorkspace } from '../src/db/database.ts';
import { HOUR_MS } from '../src/durations.ts';
import { until } from '../test/support/processes/child.ts';
import { meter, type Watched } from './support/cpu.ts';
import { memoryMb } from './support/memory.ts';
import { makeAll, type Sizes, someNumbers } from './support/reminders.ts';
import { type Figure, percentile, report } from './support/report.ts';
import { type BenchStage, onBenchStage } from './support/stage.ts';
import { aWorkspace } from './support/workspaces.ts';

export interface ReminderSizes extends Sizes {
  /** They are spread evenly over so many numbers, each with a ceiling of so many messages a minute. */
  readonly numbers: number;
  readonly ceiling: number;
  /** Until the workflows have looked, six minutes more. */
  readonly aftermath: boolean;
}

interface Morning extends BenchStage {
  readonly watched: readonly Watched[];
  readonly sizes: ReminderSizes;
}

const PATIENT = { timeoutMs: HOUR_MS, everyMs: 500 };
/** The workflows of the rush look one to six minutes later. */
const AFTERMATH = { timeoutMs: 600_000, everyMs: 2_000 };

const openWorkflows = async (client: Client): Promise<number> =>
  (await client.workflow.count("WorkflowType = 'runReminder' and ExecutionStatus = 'Running'"))
    .count;

/** Their rows say when their workflows look. */
async function sleeping(database: Database, ctx: Context): Promise<number> {
  const [row] = await inWorkspace(database, ctx.organizationId, (sql) =>
    sql.rows<{ count: number }>('select count(*) from reminders where looks_at > wakes_at'),
  );
  return row?.count ?? 0;
}

/** CPU seconds a minute by process, while nothing is done. */
async function quiet({ watched, sizes }: Morning): Promise<Readonly<Record<string, number>>> {
  const used = meter(watched);
  await sleep(sizes.seconds * 1_000);
  const each = Object.entries(used().seconds);
  return Object.fromEntries(each.map(([name, s]) => [name, (s / sizes.seconds) * 60]));
}

async function measure(scene: Morning): Promise<boolean> {
  const { database, processes, client, watched, sizes } = scene;
  const ctx = await aWorkspace(database);
  const keys = processes.encryptionKeys;
  const numberIds = await someNumbers(database, ctx, { ...sizes, count: sizes.numbers, keys });
  const settled = (count: number): Promise<void> =>
    until(
      'every workflow sleeps',
      async () =>
        (await sleeping(database, ctx)) >= count && (await openWorkflows(client)) >= count,
      PATIENT,
    );
  const nobody = await quiet(scene);
  const making = performance.now();
  const due = await makeAll(database, ctx, { ...sizes, numberIds, settled });
  const open = await openWorkflows(client);
  const madeMs = performance.now() - making;
  const idle = await quiet(scene);
  const memory = watched.map((one) => ({ name: one.name, mb: memoryMb(one) }));
  if (Date.now() > due.getTime()) throw new Error('they were due before all were watched asleep');
  await sleep(due.getTime() - Date.now() - 500);
  const rush = await watchRush(scene, ctx, due);
  const after = sizes.aftermath ? await watchAftermath(scene) : null;
  const figures: Figure[] = [
    { what: 'open workflows while all sleep', values: [open] },
    { what: 'made and put to sleep, a second', values: [(open / madeMs) * 1_000] },
    ...Object.entries(idle).flatMap(([name, seconds]) => [
      {
        what: `CPU s a minute before there are any: ${name}`,
        digits: 2,
        values: [nobody[name] ?? 0],
      },
      { what: `CPU s a minute asleep: ${name}`, digits: 2, values: [seconds] },
    ]),
    ...memory.map(({ name, mb }) => ({ what: `MB asleep: ${name}`, values: [mb] })),
    ...rush.figures,
    ...Object.entries(after ?? {}).map(([name, seconds]) => ({
      what: `CPU s per 1,000 until the workflows have ended: ${name}`,
      digits: 2,
      values: [(seconds / sizes.reminders) * 1_000],
    })),
  ];
  const title = `(i) ${sizes.reminders} reminders of one minute on ${sizes.numbers} numbers of ${sizes.ceiling} a minute, ${sizes.asleep} asleep`;
  return report(title, figures, [rush.elsewhere]);
}

async function watchRush(
  { database, processes, watched, sizes }: Morning,
  ctx: Context,
  due: Date,
) {
  const rushing = meter(watched);
  const count = async (): Promise<number> => (await processes.simulator.accepted()).length;
  await until('everybody got it', async () => (await count()) >= sizes.reminders, PATIENT);
  const rush = rushing();
  const waits = (await processes.simulator.accepted()).map(({ t }) => t - due.getTime());
  const inside = <R>(text: string): Promise<R[]> =>
    inWorkspace(database, ctx.organizationId, (sql) => sql.rows<R>(text));
  const counted = meter(watched);
  await until(
    'every run is counted',
    async () => {
      const [row] = await inside<{ done: number }>(
        "select count(*) as done from reminders where status = 'done'",
      );
      return row?.done === sizes.reminders;
    },
    PATIENT,
  );
  const counting = sumOf(counted().seconds);
  const begun = await inside<{ after: number }>(
    'select (extract(epoch from started_at - scheduled_for))::float8 as after from reminder_runs',
  );
  const afters = begun.map(({ after }) => after);
  const paceS = (sizes.reminders / (sizes.numbers * sizes.ceiling)) * 60;
  const figures: Figure[] = [
    { what: 'first message after its minute, ms', values: [Math.min(...waits)] },
    { what: 'runs begun, p50, s', digits: 1, values: [percentile(afters, 0.5)] },
    { what: 'runs begun, last, s', digits: 1, values: [Math.max(...afters)] },
    { what: 'messages, p50, s', digits: 1, values: [percentile(waits, 0.5) / 1_000] },
    {
      what: 'messages, last, s (limit: the numbers’ pace and a tenth)',
      digits: 1,
      values: [Math.max(...waits) / 1_000],
      atMost: Number((paceS * 1.1 + 1).toFixed(1)),
    },
    { what: 'last at the numbers’ pace, s', digits: 1, values: [paceS] },
    ...Object.entries(rush.seconds).map(([name, seconds]) => ({
      what: `CPU s per 1,000 of the rush: ${name}`,
      digits: 2,
      values: [(seconds / sizes.reminders) * 1_000],
    })),
    {
      what: 'CPU s per 1,000 until all are counted: all',
      digits: 2,
      values: [(counting / sizes.reminders) * 1_000],
    },
  ];
  return { figures, elsewhere: rush.elsewhere };
}

const sumOf = (seconds: Readonly<Record<string, number>>): number =>
  Object.values(seconds).reduce((sum, value) => sum + value, 0);

/** What it costs that the workflows of the rush find it done and end. */
async function watchAftermath({ client, watched, sizes }: Morning) {
  const ending = meter(watched);
  await until(
    'the workflows of the rush end',
    async () => (await openWorkflows(client)) <= sizes.asleep,
    AFTERMATH,
  );
  return ending().seconds;
}

export const benchReminders = (sizes: ReminderSizes): Promise<boolean> =>
  onBenchStage(async (scene) => {
    const { cluster, processes } = scene;
    const worker = await processes.start('worker');
    const watched = [
      { name: 'worker', pid: worker.pid },
      { name: 'postgres', pid: cluster.postgresPid, children: true },
      { name: 'temporal', pid: cluster.temporal?.pid ?? 0, children: true },
    ];
    return measure({ ...scene, watched, sizes });
  });
