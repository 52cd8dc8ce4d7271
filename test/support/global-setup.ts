import pg from 'pg';
import { migrate } from '../../src/db/migrate.ts';
import { ensureOwnedDatabase } from '../../src/embedded/postgres/owner.ts';
import { startPostgres } from '../../src/embedded/postgres/postgres.ts';
import { acquireTemporalCli } from '../../src/embedded/temporal/cli.ts';
import { endAbandonedRuns, endRun, openRunFolder, type RunFolder } from './run-folder.ts';
import { acquireTestServer } from './temporal-test-server.ts';
import { serveTestServices } from './test-services.ts';

/** The migrated database that every test file gets a clone of. */
async function templateDatabase(run: RunFolder): Promise<void> {
  const dataDir = `${run.path}/pg`;
  const postgres = await startPostgres({ dataDir, durable: false });
  run.started({ pid: postgres.pid, mark: dataDir, signal: 'SIGQUIT' });
  const ownerUrl = await ensureOwnedDatabase(postgres, 'tpl');
  await migrate(ownerUrl);
  const client = new pg.Client({ connectionString: postgres.url() });
  await client.connect();
  // Nobody can connect to it any more, so that cloning it never waits for somebody to leave.
  await client.query('alter database tpl allow_connections false');
  await client.end();
  process.env['TEST_PG_URL'] = postgres.url();
  process.env['TEST_PG_OWNER_URL'] = ownerUrl;
}

/** Prints progress only if something has to be fetched: a warm start stays silent. */
async function acquireServers(): Promise<void> {
  const lines: string[] = [];
  const log = (line: string): void => {
    lines.push(line);
    if (/official download|go install|Maven/.test(line)) console.log(line);
  };
  await acquireTemporalCli(log);
  await acquireTestServer(log);
}

/**
 * Tests start the service hundreds of times: what Node compiles of it is kept for the run, which halves what a start
 * costs. The first ones keep it when they are ready (`src/main.ts`), so it does not matter that most are killed.
 */
const keepCompiled = (run: RunFolder): void => {
  process.env['NODE_COMPILE_CACHE'] = `${run.path}/compiled`;
};

export default async function setup(): Promise<void> {
  await endAbandonedRuns();
  const run = openRunFolder();
  process.env['TEST_RUN_FOLDER'] = run.path;
  try {
    keepCompiled(run);
    await Promise.all([templateDatabase(run), acquireServers()]);
    process.env['TEST_SERVICES'] = await serveTestServices(run);
  } catch (error) {
    await endRun(run.path);
    // Nothing ran, which is a failure; the runner prints the error itself.
    process.once('exit', () => console.log('\n0 passed, 1 failed'));
    throw error;
  }
}
