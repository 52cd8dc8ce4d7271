import type { Command } from 'commander';
import pg from 'pg';
import { type Config, examineConfig } from '../../config.ts';
import { pendingMigrations } from '../../db/migrate.ts';
import { asOwner } from '../../db/owner.ts';
import { messageOf } from '../../errors.ts';
import { PRESENT_WORKERS, SHOWN_SERVERS } from '../../relay/processes/presence.ts';
import { connectTemporal, PERSON_WAITS_MS, type Temporal } from '../../temporal/connection.ts';
import { servedBy, standstill } from '../../temporal/releases.ts';
import { lookAtSchedules, otherQueues } from '../../temporal/schedules.ts';
import { inWords, missingSearchAttributes } from '../../temporal/search-attributes.ts';
import { counted, createOutput, table } from '../output.ts';
import { remedy } from '../remedy.ts';
import { type Surroundings, surroundings, temporalOf } from '../session.ts';
import { keys } from './doctor/keys.ts';
import { api, gateway } from './doctor/servers.ts';

interface Finding {
  readonly check: string;
  readonly ok: boolean;
  /** The finding, or what to do. */
  readonly says: string;
}

/** `wms doctor`. Exits with 1 if anything is wrong. */
export function doctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('find what is wrong and say what to do')
    .option('--json', 'print one JSON document')
    .action(async (options: { json?: boolean }) => {
      const findings = await examine();
      const healthy = findings.every((finding) => finding.ok);
      createOutput(options.json).result(
        { healthy, findings },
        table(findings.map(({ check, ok, says }) => [ok ? 'ok  ' : 'FAIL', check, says])),
      );
      if (!healthy) process.exitCode = 1;
    });
}

/** What says where each part is. */
const PLACES = {
  database: /^(?:DATABASE_URL|DATA_DIR)$/,
  migrations: /^(?:DATABASE_URL|DATA_DIR)$/,
  keys: /^(?:ENCRYPTION_KEYS|DATA_DIR)$/,
  temporal: /^(?:TEMPORAL_.+|DATA_DIR)$/,
  api: /^(?:BASE_URL|PORT|DATA_DIR)$/,
  gateway: /^(?:WHATSAPP_API_URL|DATA_DIR)$/,
} as const;

type Place = keyof typeof PLACES;

/**
 * Every check runs even if an earlier one failed, so that everything is reported at once; except where a setting that
 * cannot be read would lead to another place than the one that was meant, or where that place is known to be down.
 */
export async function examine(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Promise<Finding[]> {
  const { config, problems, unreadable } = examineConfig(environment);
  const around = surroundings(config);
  const findings: Finding[] =
    problems.length === 0
      ? [{ check: 'configuration', ok: true, says: 'every setting is valid' }]
      : problems.map((says) => ({ check: 'configuration', ok: false, says }));
  const down = new Set<string>();
  const obstacle = (...places: readonly Place[]): string | undefined => {
    const wrong = [...unreadable].filter((name) => places.some((each) => PLACES[each].test(name)));
    if (wrong.length > 0) return `Not checked: correct ${wrong.join(' and ')} first.`;
    const away = places.find((each) => down.has(each));
    return away ? `Not checked: first see to what "${away}" says.` : undefined;
  };
  const look = async (
    check: string,
    place: Place,
    work: () => Promise<string>,
    ...behind: readonly Place[]
  ): Promise<void> => {
    const hindered = obstacle(...behind, place);
    try {
      if (hindered) throw new Error(hindered);
      findings.push({ check, ok: true, says: await work() });
    } catch (error) {
      const says = messageOf(error);
      findings.push({ check, ok: false, says });
      // The check that is called as its place says whether anything answers there.
      if (check === place && !hindered) down.add(place);
    }
  };
  await look('database', 'database', () => database(around));
  await look('owner', 'database', () => owner(around));
  await look('writing', 'database', () => writing(around));
  await look('migrations', 'migrations', () => migrations(around), 'database');
  await look('keys', 'keys', () => keys(around), 'database', 'migrations');
  const temporal = openTemporal(around);
  try {
    await look('temporal', 'temporal', async () => answers(temporal(), around.config));
    await look('search attributes', 'temporal', async () => searchAttributes(temporal()));
    await look('workers', 'temporal', async () =>
      workers(temporal(), around, obstacle('database') === undefined),
    );
    await look('upkeep', 'temporal', async () => upkeep(temporal(), around.config));
    await look('one temporal', 'database', () => oneServer(around));
  } finally {
    await temporal.close();
  }
  await look('api', 'api', () => api(around));
  await look('gateway', 'gateway', () => gateway(around));
  return findings;
}

/** Connected when it is first asked for: its certificates may be missing. */
function openTemporal(around: Surroundings) {
  let connected: Temporal | undefined;
  const connection = (): Temporal => {
    connected ??= connectTemporal(temporalOf(around));
    return connected;
  };
  return Object.assign(connection, { close: async () => connected?.close() });
}

function addressOf({ databaseUrl, config }: Surroundings): string {
  if (databaseUrl) return databaseUrl;
  throw new Error(`No database is known. ${remedy(config, 'DATABASE_URL')}`);
}

async function database(around: Surroundings): Promise<string> {
  const version = await askDatabase<string>(around, "select current_setting('server_version')");
  return `PostgreSQL ${version} answers`;
}

/** Connections that serve assume other roles, so nothing else would tell. */
async function owner(around: Surroundings): Promise<string> {
  const isSuper = await askDatabase<boolean>(around, IS_SUPERUSER);
  if (isSuper)
    throw new Error(
      'The role in DATABASE_URL is a superuser, whom row level security does not bind. Give the database an owner that is none.',
    );
  return 'is no superuser';
}

/** A server whose disk is full, or that is a standby, answers and reads as ever. */
async function writing(around: Surroundings): Promise<string> {
  await asOwner(addressOf(around), (client) =>
    client.query('create temporary table written_by_the_doctor as select 1 as one'),
  );
  return 'the database takes what is written';
}

const IS_SUPERUSER = 'select rolsuper from pg_roles where rolname = session_user';

/** The first value of the first row. */
async function askDatabase<T>(around: Surroundings, sql: string): Promise<T> {
  const client = new pg.Client({
    connectionString: addressOf(around),
    connectionTimeoutMillis: 2_000,
  });
  try {
    await client.connect().catch(({ message }: Error) => {
      throw new Error(
        `The database cannot be used: ${message}. ${remedy(around.config, 'DATABASE_URL')}`,
      );
    });
    const { rows } = await client.query<[T]>({ text: sql, rowMode: 'array' });
    if (!rows[0]) throw new Error('The database answered nothing.');
    return rows[0][0];
  } finally {
    await client.end();
  }
}

async function migrations(around: Surroundings): Promise<string> {
  const pending = await pendingMigrations(addressOf(around));
  if (pending.length > 0)
    throw new Error(
      `${counted(pending.length, 'migration is', 'migrations are')} missing. Run: wms migrate`,
    );
  return 'up to date';
}

async function answers(temporal: Temporal, config: Config): Promise<string> {
  const problem = await temporal.problem(PERSON_WAITS_MS);
  if (problem) throw new Error(`${problem} ${remedy(config, 'TEMPORAL_ADDRESS')}`);
  return `${temporal.address.address}, namespace ${temporal.address.namespace}`;
}

async function searchAttributes(temporal: Temporal): Promise<string> {
  const missing = await missingSearchAttributes(temporal.connection, temporal.address.namespace);
  if (missing.length > 0)
    throw new Error(
      `${inWords(missing)} are missing: a worker registers them when it starts, except with Temporal Cloud, where you make them.`,
    );
  return 'registered';
}

/** Temporal remembers a poller for five minutes; the database knows at once that a process was killed. */
async function workers(
  temporal: Temporal,
  around: Surroundings,
  isDatabaseUp: boolean,
): Promise<string> {
  const { TEMPORAL_TASK_QUEUE: taskQueue, TEMPORAL_BUILD_ID: own } = around.config;
  const served = await servedBy(temporal, taskQueue);
  const present = isDatabaseUp ? await askDatabase<number>(around, PRESENT_WORKERS) : Infinity;
  const alive = Math.min(served.pollers, present);
  if (alive === 0)
    throw new Error(
      `No worker polls the task queue ${taskQueue}. Start a process with ROLES=worker.`,
    );
  const problem = standstill(served, { taskQueue, own });
  if (problem) throw new Error(problem);
  const release = served.current ? `, release ${served.current}` : '';
  return `${alive} on the task queue ${taskQueue}${release}`;
}

/** Schedules keep the queue that they were made with, and belong to the namespace. */
async function upkeep({ client }: Temporal, config: Config): Promise<string> {
  const schedules = await lookAtSchedules(client);
  const others = otherQueues(schedules, config.TEMPORAL_TASK_QUEUE);
  if (others.length > 0)
    throw new Error(
      `Schedules upkeep:… start their workflows on the task queue ${others.join(' and ')}, not on ${config.TEMPORAL_TASK_QUEUE}. ` +
        'If another installation uses this namespace, give each its own. If TEMPORAL_TASK_QUEUE was changed, delete them: a ' +
        'worker makes them anew within a minute.',
    );
  const still = schedules.filter(({ taskQueue, paused }) => paused || taskQueue === null);
  if (still.length > 0) throw new Error(still.map(standsStill).join(' '));
  return `on the task queue ${config.TEMPORAL_TASK_QUEUE}`;
}

const standsStill = ({
  id,
  paused,
}: Awaited<ReturnType<typeof lookAtSchedules>>[number]): string =>
  paused
    ? `${id} is paused: unpause it in the Temporal UI, under Schedules.`
    : `There is no Schedule ${id}: a worker makes it within a minute.`;

/** Workers connected to Temporal record it once a minute. */
async function oneServer(around: Surroundings): Promise<string> {
  const n = await askDatabase<number>(around, SHOWN_SERVERS);
  if (n > 1)
    throw new Error(
      `Workers of this database use ${n} Temporal servers, and start workflows on each. Set the same TEMPORAL_ADDRESS ` +
        'for all of them. After one was replaced this may be so for a minute.',
    );
  return n === 1 ? 'all workers use the same server' : 'no worker uses any';
}
