import { flushCompileCache } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Config, ConfigError, readConfig } from './config.ts';
import { migrateIfBehind } from './db/migrate.ts';
import { switchTenantFilter } from './db/tenant.ts';
import { UnfitDatabase, whyUnusable } from './db/unusable.ts';
import { createChecklist } from './embedded/checklist.ts';
import { startParts } from './embedded/parts.ts';
import { refusePortsInUse } from './embedded/ports.ts';
import { defaultDataDir } from './embedded/postgres/unprivileged.ts';
import { type RunFile, writeRunFile } from './embedded/run-file.ts';
import { StartError } from './embedded/start-error.ts';
import { armFault } from './fault-points.ts';
import { createLog } from './log.ts';
import { startService } from './service.ts';
import { startTracing } from './tracing/start.ts';

const PROJECT = fileURLToPath(new URL('..', import.meta.url));

const stopping = new AbortController();

try {
  await main();
} catch (error) {
  const isTold = [ConfigError, StartError, UnfitDatabase].some((kind) => error instanceof kind);
  if (!(error instanceof Error) || !isTold) throw error;
  // When the start was ended on purpose, errors caused by that are not shown.
  if (stopping.signal.aborted) process.exit(0);
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}

/** Configuration, then parts, then migrations, then this process's roles; on a signal, the reverse. */
async function main(): Promise<void> {
  const config = readConfig();
  if (config.FAULT) armFault(config.FAULT);
  switchTenantFilter(config.TENANT_FILTER);
  const format = config.LOG_FORMAT ?? (process.stdout.isTTY ? 'pretty' : 'json');
  const log = createLog({ level: config.LOG_LEVEL, format });
  const tracing = await startTracing(config, log);
  await refuseTakenPorts(config);

  const dataDir = path.resolve(config.DATA_DIR ?? defaultDataDir(PROJECT));
  const write = (line: string): void => void process.stdout.write(`${line}\n`);
  const checklist = createChecklist(
    config.NODE_ENV === 'development' ? write : () => {},
    stopping.signal,
  );
  checklist.note(`Workspace Messaging, data in ${dataDir}`);
  // From here on there is something to stop.
  stopping.signal.addEventListener('abort', () => checklist.note('Stopping …'));
  stopAtSignals(() => stopping.abort(new StartError('Ended before it was ready.')));
  const parts = await startParts(config, dataDir, checklist).catch(sayIfTaken(config));
  try {
    await checklist.step('migrations', () =>
      migrateIfBehind(parts.databaseUrl, (tables) =>
        log.warn({ tables }, 'tables lack what plans expect of a workspace: run wms migrate again'),
      ).catch(config.DATABASE_URL ? sayIfUnusable : undefined),
    );
    const { step } = checklist;
    const options = { config, parts, dataDir, log, step, stopping: stopping.signal };
    const service = await startService(options).catch(sayIfTaken(config));
    try {
      const runWith = (demo: RunFile['demo']): RunFile => ({
        pid: process.pid,
        baseUrl: service.baseUrl,
        databaseUrl: parts.databaseUrl,
        encryptionKeys: parts.encryptionKeys,
        temporalAddress: parts.temporal.address,
        temporalNamespace: parts.temporal.namespace,
        temporalUiUrl: parts.temporalUiUrl,
        simulatorUrl: parts.simulatorUrl,
        demo,
      });
      const keep = (run: RunFile): void => {
        if (config.NODE_ENV === 'development') writeRunFile(dataDir, run);
      };
      const demo = parts.simulatorUrl
        ? await checklist.step('demo workspace', async () => {
            const { ensureDemo } = await import('./embedded/demo/workspace.ts');
            return ensureDemo(service, parts, dataDir, (made) => keep(runWith(made)));
          })
        : null;
      stopping.signal.throwIfAborted();
      const run = runWith(demo);
      keep(run);
      if (config.NODE_ENV === 'development') {
        const { banner } = await import('./embedded/banner.ts');
        write(banner(run, config.DATA_DIR ? dataDir : null));
      }
      // If NODE_COMPILE_CACHE names a folder: saves compiled code for the next process, in case this one is killed.
      flushCompileCache();
      await aborted(stopping.signal);
    } finally {
      await service.stop();
    }
  } finally {
    await parts.stop();
    await tracing.stop();
  }
  process.exit(0);
}

/** Not a bug of ours. */
function sayIfUnusable(error: Error): never {
  const why = whyUnusable(error);
  if (why === undefined) throw error;
  throw new StartError(
    `DATABASE_URL cannot be used: ${why}. Example: ` +
      'DATABASE_URL=postgresql://wms_owner:secret@db:5432/wms',
    { cause: error },
  );
}

async function refuseTakenPorts(config: Config, isTaken?: (port: number) => Promise<boolean>) {
  const wanted: [string, number][] = [['PORT', config.PORT]];
  if (!config.WHATSAPP_API_URL) wanted.push(['SIMULATOR_PORT', config.SIMULATOR_PORT]);
  await refusePortsInUse(wanted, isTaken);
}

/** What took a port since it was looked at, or has it on an address that was not, is known only now. */
function sayIfTaken(config: Config) {
  return async (error: NodeJS.ErrnoException & { port?: number }): Promise<never> => {
    if (error.code === 'EADDRINUSE')
      await refuseTakenPorts(config, async (port) => port === error.port);
    throw error;
  };
}

function stopAtSignals(stop: () => void): void {
  // A second, impatient signal must not leave PostgreSQL and Temporal behind, so it is caught and has no effect.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
