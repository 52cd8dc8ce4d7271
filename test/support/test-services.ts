import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { type EmbeddedTemporal, startTemporal } from '../../src/embedded/temporal/dev-server.ts';
import { workflowBundle } from '../../src/temporal/bundle.ts';
import type { RunFolder } from './run-folder.ts';
import { startTestServer, type TestServer } from './temporal-test-server.ts';

/**
 * What only some tests need, started when the first of them asks and shared by all of the run:
 * `dev-server`, its `temporal-ui`, `time-skipping/<worker>/<file>`, `workflow-bundle`. Answers are plain text.
 */
function makers(run: RunFolder): Record<string, (worker: string) => Promise<string>> {
  const timeServers = new Map<string, TestServer>();
  let started: Promise<EmbeddedTemporal> | undefined;
  const startDevServer = async (): Promise<EmbeddedTemporal> => {
    const dataDir = path.join(run.path, 'temporal');
    const server = await startTemporal({ dataDir, log: () => {}, firstPort: 0, firstUiPort: 0 });
    run.started({ pid: server.pid, mark: dataDir, signal: 'SIGKILL' });
    return server;
  };
  const devServer = (): Promise<EmbeddedTemporal> => {
    started ??= startDevServer();
    return started;
  };
  return {
    'dev-server': async () => (await devServer()).address,
    'temporal-ui': async () => (await devServer()).uiUrl,
    'time-skipping': (worker) => startTimeServer(run, timeServers, worker),
    // Where the processes that tests start look for it too.
    'workflow-bundle': async () => (await workflowBundle(`${run.path}/processes`)).codePath,
  };
}

/** A new one for the file that a worker is at. That of its file before is over, and ends: each takes 200 MB. */
async function startTimeServer(
  run: RunFolder,
  servers: Map<string, TestServer>,
  worker: string,
): Promise<string> {
  await servers.get(worker)?.stop();
  const server = await startTestServer({ log: () => {} });
  const mark = server.address.split(':')[1] ?? '';
  run.started({ pid: server.pid, mark, signal: 'SIGKILL' });
  servers.set(worker, server);
  return server.address;
}

/** Serves them on loopback to the test files, which run in other processes; returns the address. */
export async function serveTestServices(run: RunFolder): Promise<string> {
  const make = makers(run);
  const made = new Map<string, Promise<string>>();
  const find = (wanted: string): Promise<string> => {
    const [kind = '', worker = ''] = wanted.split('/');
    const maker = make[kind];
    if (!maker) return Promise.reject(new TypeError(`no test service ${wanted}`));
    const known = made.get(wanted) ?? maker(worker);
    made.set(wanted, known);
    return known;
  };
  const server = http.createServer((request, response) => {
    // No connection stays open behind an answer: it would keep the runner from ending.
    response.setHeader('connection', 'close');
    find((request.url ?? '/').slice(1)).then(
      (answer) => response.end(answer),
      (error: Error) => response.writeHead(500).end(error.message),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
