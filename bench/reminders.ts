/** (i) Reminders: what thousands cost while they sleep, and the rush of those that are due in one minute. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import type { Context } from '../src/context.ts';
import { createKeyring } from '../src/crypto/keyring.ts';
import { createContext } from '../src/db/contexts.ts';
import { type Database, inWorkspace, openDatabase } from '../src/db/database.ts';
import { addNumber } from '../src/numbers/service.ts';
import { newReminderBody } from '../src/reminders/schema.ts';
import { createReminder } from '../src/reminders/service.ts';
import { until } from '../test/support/house/child.ts';
import { type House, openHouse } from '../test/support/house/house.ts';
import { openCluster } from './support/cluster.ts';
import { meter, type Watched } from './support/cpu.ts';
import { phoneOf } from './support/people.ts';
import { type Figure, percentile, report } from './support/report.ts';
import { aWorkspace } from './support/workspaces.ts';

export interface ReminderSizes {
  readonly reminders: number;
  /** They are spread evenly over so many numbers, each with a ceiling of so many messages a minute. */
  readonly numbers: number;
  readonly ceiling: number;
  /** How long they are watched asleep. */
  readonly seconds: number;
}

interface Scene {
  readonly database: Database;
  readonly house: House;
  readonly client: Client;
  readonly watched: readonly Watched[];
  readonly sizes: ReminderSizes;
}

const MINUTE_MS = 60_000;
const PATIENT = { timeoutMs: 3_600_000, everyMs: 500 };
/** Making one and starting its workflow, on the safe side. */
const MAKING_MS = 40;

const fresh = (database: Database, { organizationId, actor }: Context): Context =>
  createContext({ database, wake: () => {} }, { organizationId, actor, now: new Date() });

/** Reminders of one minute, each to a phone of its own. @returns that minute */
async function make({ database, house, sizes }: Scene, ctx: Context): Promise<Date> {
  const ids: string[] = [];
  for (let n = 0; n < sizes.numbers; n += 1) {
    const wishes = { name: 'Bench', phone: phoneOf(900_000 + n), provider: 'sandbox' } as const;
    const number = await addNumber(
      ctx,
      { ...wishes, accessToken: 'bench' },
      createKeyring(house.encryptionKeys),
    );
    ids.push(number.id);
  }
  await inWorkspace(database, ctx.organizationId, (sql) =>
    sql.rows('update numbers set ceiling_per_minute = $1', [sizes.ceiling]),
  );
  const rest = sizes.seconds * 1_000 + sizes.reminders * MAKING_MS + MINUTE_MS;
  const due = new Date(Math.ceil((Date.now() + rest) / MINUTE_MS) * MINUTE_MS);
  const when = { date: due.toISOString().slice(0, 10), time: due.toISOString().slice(11, 16) };
  for (let n = 0; n < sizes.reminders; n += 1) {
    const whom = { target: 'phone', phone: phoneOf(n), number_id: ids[n % ids.length] };
    const said = { title: 'Bench', text: 'Oi!', repeat: 'once', time_zone: 'UTC' };
    await createReminder(
      fresh(database, ctx),
      newReminderBody.parse({ ...whom, ...said, ...when }),
    );
  }
  return due;
}

const openWorkflows = async (client: Client): Promise<number> =>
  (await client.workflow.count("WorkflowType = 'runReminder' and ExecutionStatus = 'Running'"))
    .count;

async function measure(scene: Scene): Promise<boolean> {
  const { database, house, client, watched, sizes } = scene;
  const ctx = await aWorkspace(database);
  const due = await make(scene, ctx);
  await until(
    'every workflow sleeps',
    async () => (await openWorkflows(client)) >= sizes.reminders,
    PATIENT,
  );
  const open = await openWorkflows(client);
  const asleep = meter(watched);
  await sleep(sizes.seconds * 1_000);
  const idle = asleep();
  await sleep(Math.max(0, due.getTime() - Date.now() - 500));
  const rushing = meter(watched);
  const count = async (): Promise<number> => (await house.simulator.accepted()).length;
  await until('everybody got it', async () => (await count()) >= sizes.reminders, PATIENT);
  const rush = rushing();
  const waits = (await house.simulator.accepted()).map(({ t }) => t - due.getTime());
  await until(
    'every run is counted',
    async () => {
      const [row] = await inWorkspace(database, ctx.organizationId, (sql) =>
        sql.rows<{ left: number }>(
          "select count(*) as left from reminders where status = 'active'",
        ),
      );
      return row?.left === 0;
    },
    PATIENT,
  );
  const begun = await inWorkspace(database, ctx.organizationId, (sql) =>
    sql.rows<{ after: number }>(
      `select (extract(epoch from started_at - scheduled_for))::float8 as after from reminder_runs`,
    ),
  );
  const afters = begun.map(({ after }) => after);
  const all = Object.values(rush.seconds).reduce((sum, value) => sum + value, 0);
  const figures: Figure[] = [
    { what: 'open workflows while all sleep', values: [open] },
    ...Object.entries(idle.seconds).map(([name, seconds]) => ({
      what: `CPU s a minute asleep: ${name}`,
      digits: 2,
      values: [(seconds / sizes.seconds) * 60],
    })),
    { what: 'first message after its minute, ms', values: [Math.min(...waits)] },
    { what: 'runs begun, p50, s', digits: 1, values: [percentile(afters, 0.5)] },
    { what: 'runs begun, last, s', digits: 1, values: [Math.max(...afters)] },
    { what: 'p50, s', digits: 1, values: [percentile(waits, 0.5) / 1_000] },
    { what: 'last, s', digits: 1, values: [Math.max(...waits) / 1_000] },
    {
      what: 'last at the numbers’ pace, s',
      digits: 1,
      values: [(sizes.reminders / (sizes.numbers * sizes.ceiling)) * 60],
    },
    {
      what: 'CPU s per 1,000 of the rush, all',
      digits: 2,
      values: [(all / sizes.reminders) * 1_000],
    },
  ];
  const title = `(i) ${sizes.reminders} reminders of one minute on ${sizes.numbers} numbers of ${sizes.ceiling} a minute`;
  return report(title, figures, [rush.elsewhere]);
}

export async function benchReminders(sizes: ReminderSizes): Promise<boolean> {
  const closing: (() => Promise<unknown>)[] = [];
  try {
    const cluster = await openCluster({ temporal: true });
    closing.push(() => cluster.close());
    const temporalAddress = cluster.temporal?.address ?? '';
    const house = await openHouse({ databaseUrl: cluster.databaseUrl, temporalAddress });
    closing.push(() => house.close());
    const database = await openDatabase({ url: cluster.databaseUrl, poolSize: 4 });
    closing.push(() => database.close());
    const connection = await Connection.connect({ address: temporalAddress });
    closing.push(() => connection.close());
    const worker = await house.start('worker');
    const watched = [
      { name: 'worker', pid: worker.pid },
      { name: 'postgres', pid: cluster.postgresPid, children: true },
      { name: 'temporal', pid: cluster.temporal?.pid ?? 0, children: true },
    ];
    return await measure({ database, house, client: new Client({ connection }), watched, sizes });
  } finally {
    for (const close of closing.toReversed()) await close();
  }
}
