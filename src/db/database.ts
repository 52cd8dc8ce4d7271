import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import { CompiledQuery } from 'kysely';
import pg from 'pg';
import { AppError, unavailable } from '../errors.ts';
import { traceparent, traceSetting } from '../tracing/spans.ts';
import { type AnswerLimit, Client } from './connections/client.ts';
import { parameters } from './connections/parameters.ts';
import { parsers } from './connections/parsers.ts';
import { WAIT_MS } from './connections/patience.ts';
import { prepare } from './connections/prepared.ts';
import { answerWithin, BY_INDEXES, connectionSettings, limitsOf } from './connections/settings.ts';
import { Turns } from './connections/turns.ts';
import { openOrm } from './orm.ts';
import { type Sql, withSavepoints } from './sql.ts';
import { UnfitDatabase } from './unusable.ts';

/** The service's connections: two roles, both bound by row level security. */
export interface Database {
  /** Role `wms_app`: entities, one workspace at a time. */
  readonly orm: MikroORM;
  /** Role `wms_app`, plain SQL in short transactions: batch jobs, through `inWorkspace`. */
  readonly app: pg.Pool;
  /**
   * Role `wms_app`, only for the API's entrance: each checkout begins with `wms.enter`, which binds the connection to
   * the caller's workspace, or to none if the credential is unknown.
   */
  readonly reads: pg.Pool;
  /** Role `wms_system`: queues and lookups across workspaces, on the tables opened to it. */
  readonly system: pg.Pool;
  /** Decides who gets the connections for reading, and those for changing something. */
  readonly turns: { readonly reads: Turns; readonly writes: Turns };
  close(): Promise<void>;
}

export interface DatabaseOptions {
  readonly url: string;
  /**
   * Connections per pool, except at most six for `reads`; the four pools share the server's `max_connections` with
   * other processes.
   */
  readonly poolSize?: number;
  /** A statement that takes longer, or waits this long for a lock, is ended; its caller gets 503. */
  readonly statementMs?: number;
}

/**
 * As many reads as one process can prepare and answer, because its single thread is the bottleneck. With twice as
 * many at a time under load, capacity was a fifth less and refusals took twice as long (docs/measurements/load-and-growth.md).
 */
const READERS = 6;
/** What one workspace may take of the connections that change something: its changes soon wait for each other anyway, by its locks. */
const writeShare = (max: number): number => Math.ceil(max / 3);

/**
 * Opens its pools and the entity manager, `poolSize` connections each. Throws if one of our roles bypasses row level
 * security.
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { url, poolSize = 12, statementMs = 15_000 } = options;
  const orm = await openOrm(url, { role: 'wms_app', max: poolSize, statementMs });
  const writes = await orm.em.getDriver().getConnection().getNativeClient();
  const poolOf = (role: string, max: number, settings: string): pg.Pool =>
    openPool({ url, role, max, settings, statementMs });
  const app = poolOf('wms_app', poolSize, BY_INDEXES);
  const reads = poolOf('wms_app', Math.min(poolSize, READERS), BY_INDEXES);
  const system = poolOf('wms_system', poolSize, QUEUE_PLANS);
  const close = async (): Promise<void> => {
    await Promise.all([orm.close(true), app.end(), reads.end(), system.end()]);
  };
  try {
    await refuseBypass(app);
    await refuseBypass(system);
  } catch (error) {
    await close();
    throw error;
  }
  const { connectionTimeoutMillis: longestMs } = connectionSettings(statementMs);
  const readers = reads.options.max;
  const writers = writes.options.max;
  const turns = {
    // With more kept from one workspace than Turns keeps by itself, it would be slower when alone.
    reads: new Turns({ places: readers, waitMs: WAIT_MS.reads, longestMs }),
    writes: new Turns({
      places: writers,
      share: writeShare(writers),
      waitMs: WAIT_MS.writes,
      longestMs,
    }),
  };
  return { orm, app, reads, system, turns, close };
}

/**
 * A queue is empty when its plans are made and full when they run, and its statistics are always out of date. So the
 * planner may only use indexes, which is right at any size. Planning the fan-out over all partitions costs twice as
 * much as running it, and gives the same plan each time, so one plan is kept.
 */
const QUEUE_PLANS = `${BY_INDEXES} -c enable_bitmapscan=off -c enable_hashjoin=off -c enable_mergejoin=off -c random_page_cost=1.1 -c plan_cache_mode=force_generic_plan`;

interface PoolOptions {
  readonly url: string;
  readonly role: string;
  readonly max: number;
  readonly settings: string;
  readonly statementMs: number;
}

function openPool({ url, role, max, settings, statementMs }: PoolOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    types: parsers,
    Client,
    options: `${limitsOf(role, statementMs)} ${settings}`,
    ...connectionSettings(statementMs),
  });
  // An idle connection dropped by the server is replaced at its next use; without a listener, the event would end the
  // process.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/** Row level security is the second lock, so a role that bypasses it must not serve requests. */
async function refuseBypass(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ rolname: string; bypass: boolean }>(
    'select rolname, rolsuper or rolbypassrls as bypass from pg_roles where rolname = current_user',
  );
  if (rows[0]?.bypass === false) return;
  const role = rows[0]?.rolname ?? '(unknown)';
  throw new UnfitDatabase(
    `The database's role ${role} bypasses row level security, which keeps workspaces apart. As a superuser: ` +
      `alter role ${role} nosuperuser nobypassrls`,
  );
}

/**
 * Plain SQL over a checked-out connection.
 *
 * @param settings of each query, such as how long its answer may take
 */
export const sqlOver = (client: Pick<pg.ClientBase, 'query'>, settings: AnswerLimit = {}): Sql => ({
  rows: async <R>(text: string, params: readonly unknown[] = [], name?: string): Promise<R[]> => {
    const query = { ...settings, text, values: parameters(params) };
    const result = await client.query(name ? { ...query, name } : query);
    return result.rows as R[];
  },
});

/** Plain SQL inside the entity manager's own transaction. */
export const sqlOverEm = (em: EntityManager): Sql => ({
  rows: async <R>(text: string, params: readonly unknown[] = [], name?: string): Promise<R[]> => {
    if (name) prepare(text, name);
    const query = CompiledQuery.raw(text, parameters(params));
    const result = await em.getKysely().executeQuery(query);
    return result.rows as R[];
  },
});

/** A short transaction bound to one workspace, in plain SQL; batch jobs consist of these. */
export function inWorkspace<T>(
  { app }: Pick<Database, 'app'>,
  organizationId: string,
  work: (sql: Sql) => Promise<T>,
  settings = '',
): Promise<T> {
  if (!/^org_[0-9A-Z]{26}$/.test(organizationId))
    throw new AppError('internal', 'Not a workspace id.');
  const begin = `begin; set local app.organization = '${organizationId}'`;
  return transaction(app, begin + settings, work);
}

/**
 * For hot statements on tables that grow from nothing to thousands of rows within seconds: a prepared
 * plan that was made while they were small would read them whole ever after.
 */
export const BY_INDEX =
  '; set local enable_seqscan = off; set local enable_hashjoin = off; set local enable_mergejoin = off; set local enable_sort = off';

/**
 * For named statements that are repeated all the time and have one right plan, along indexes: it is made once and
 * kept. Planning an update over all partitions takes 7 ms, a hundred times its run, and by itself the server would
 * do so each time; a plan for the very values at hand reads whole tables while their statistics are young.
 */
export const KEPT_PLAN =
  '; set local plan_cache_mode = force_generic_plan; set local enable_seqscan = off; set local enable_bitmapscan = off; set local enable_hashjoin = off; set local enable_mergejoin = off';

/**
 * For statements that look up rows one by one and change them by their addresses. Where the statistics know every
 * workspace but this one, it passes for empty, and reading all its rows for the cheaper way; with pages for nothing
 * an address always is.
 */
export const ROW_BY_ROW = `${KEPT_PLAN}; set local random_page_cost = 0`;

/** A short transaction across workspaces, for queues only. */
export const asSystem = <T>(
  { system }: Pick<Database, 'system'>,
  work: (sql: Sql) => Promise<T>,
): Promise<T> => transaction(system, 'begin', work);

/** A transaction across workspaces for upkeep whose statements move much, and may take as long as is said. */
export const asSystemAtLength = <T>(
  { system }: Pick<Database, 'system'>,
  statementMs: number,
  work: (sql: Sql) => Promise<T>,
): Promise<T> =>
  transaction(
    system,
    `begin; set local statement_timeout = ${statementMs}`,
    work,
    answerWithin(statementMs),
  );

/**
 * Inside a transaction across workspaces: `work` as the app in one of them, with its rights and with every other
 * workspace hidden. Nothing else may use the connection meanwhile.
 */
export async function actingIn<T>(
  sql: Sql,
  organizationId: string,
  work: () => Promise<T>,
): Promise<T> {
  await actAs(sql, 'wms_app', organizationId);
  const result = await work();
  await actAs(sql, 'wms_system', '');
  return result;
}

const actAs = (sql: Sql, role: string, organizationId: string): Promise<unknown> =>
  sql.rows(
    "select set_config('role', $1, true), set_config('app.organization', $2, true)",
    [role, organizationId],
    'act-as',
  );

/** What a transaction records from here on carries the trace of the work that it belongs to. */
export async function carryTrace(sql: Sql): Promise<void> {
  const now = traceparent();
  if (now) await sql.rows("select set_config('app.trace', $1, true)", [now], 'carry-trace');
}

async function transaction<T>(
  pool: pg.Pool,
  begin: string,
  work: (sql: Sql) => Promise<T>,
  settings: AnswerLimit = {},
): Promise<T> {
  const client = await pool.connect().catch((cause: unknown) => {
    throw unavailable('The database is not answering.', { cause });
  });
  let broken = false;
  try {
    const begun = client.query(begin + traceSetting());
    // If it fails, so does every statement after it, and `work` with them.
    begun.catch(() => {});
    const result = await work(withSavepoints(sqlOver(client, settings)));
    await begun;
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch(() => {
      broken = true;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}
