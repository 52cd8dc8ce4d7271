import { randomBytes } from 'node:crypto';
import { type AddressInfo, connect } from 'node:net';
import { type AppDeps, createApp } from '../../src/app.ts';
import { createKeyring } from '../../src/crypto/keyring.ts';
import { asSystem, type Database } from '../../src/db/database.ts';
import { REQUESTS_PER_WINDOW } from '../../src/http/callers/rate-limit.ts';
import { createHttpServer, stopHttpServer } from '../../src/http/serving/server.ts';
import { createLog } from '../../src/log.ts';
import { openOwnDatabase } from './database.ts';
import { findTestMember } from './members.ts';

export interface TestApi {
  readonly url: string;
  readonly port: number;
  /** The deps the app was made with, for contexts that must agree with it. */
  readonly deps: AppDeps;
  call(method: string, path: string, options?: CallOptions): Promise<Reply>;
  close(): Promise<void>;
}

export interface CallOptions {
  /** An API key, or a member's token (`aMember`). */
  readonly key?: string | undefined;
  /** Sent as JSON, unless it is a string, bytes or a form already. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into answers of every shape
  readonly body: any;
}

const CALLERS_WAIT_MS = 120_000;

/**
 * The real app on a real loopback server. `overrides` may replace the clock, the routes and the rest.
 *
 * @param isPatient it gives headers more time than outside of tests
 */
export async function serveApi(
  database: Database,
  overrides: Partial<AppDeps> & Pick<AppDeps, 'routes'>,
  isPatient = true,
): Promise<TestApi> {
  const deps: AppDeps = {
    database,
    clock: { now: () => new Date(), skewMs: 0 },
    keyring: createKeyring(`k1:${randomBytes(32).toString('base64')}`),
    wake: () => {},
    baseUrl: 'http://api.test',
    log: createLog({ level: 'silent', format: 'json' }),
    findMember: findTestMember,
    ...overrides,
  };
  const server = createHttpServer(createApp(deps).handler, deps.baseUrl);
  // The callers are in this process: where it stands still for long, they are late too, and none of them is slow.
  if (isPatient) server.headersTimeout = CALLERS_WAIT_MS;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    port,
    deps,
    call: (method, path, options) => callAt(url, method, path, options),
    close: () => stopHttpServer(server, 1_000),
  };
}

/** One call of whatever serves the API at this address. */
export async function callAt(
  url: string,
  method: string,
  path: string,
  { key, body, headers }: CallOptions = {},
): Promise<Reply> {
  const form = body instanceof FormData;
  const raw = form || typeof body === 'string' || body instanceof Uint8Array;
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(key ? { authorization: `Bearer ${key}` } : {}),
      ...(body === undefined || form ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: raw ? (body as string) : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: asJson(text) };
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export interface OpenDoor {
  readonly database: Database;
  readonly api: TestApi;
  close(): Promise<void>;
}

/** A database and the app in front of it, closed together. */
export const doorOf = (database: Database, api: TestApi): OpenDoor => ({
  database,
  api,
  close: async () => {
    await api.close();
    await database.close();
  },
});

/** A database of its own with the app in front of it: what most tests of the door begin with. */
export async function openDoor(
  overrides: Partial<AppDeps> & Pick<AppDeps, 'routes'>,
): Promise<OpenDoor> {
  const database = await openOwnDatabase();
  return doorOf(database, neverOverQuota(database, await serveApi(database, overrides)));
}

/** A table of cases asks more in a minute than a caller may: refused for that alone, it would prove nothing. */
function neverOverQuota(database: Database, api: TestApi): TestApi {
  let calls = 0;
  const call: TestApi['call'] = async (...request) => {
    calls += 1;
    if (calls % (REQUESTS_PER_WINDOW / 2) === 0)
      await asSystem(database, (sql) => sql.rows('delete from rate_windows'));
    return api.call(...request);
  };
  return { ...api, call };
}

/** Bytes as they are on a connection of their own; everything that came back until it closed, or until `ms`, or until told. */
export function sendRaw(
  port: number,
  bytes: string | Buffer,
  ms = 20_000,
  enough?: Promise<unknown>,
): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    const end = (): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(Buffer.concat(chunks).toString('latin1'));
    };
    const timer = setTimeout(end, ms);
    void enough?.then(end);
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('close', end);
    socket.on('error', end);
  });
}
