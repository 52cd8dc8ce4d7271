import { createHash, randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createApp } from '../../../src/app.ts';
import type { Context } from '../../../src/context.ts';
import type { Database } from '../../../src/db/database.ts';
import { inboundCounts } from '../../../src/figures.ts';
import { httpMetrics } from '../../../src/http/serving/metrics.ts';
import { createHttpServer, stopHttpServer } from '../../../src/http/serving/server.ts';
import { createReceiver } from '../../../src/inbound/receiver.ts';
import { createLog } from '../../../src/log.ts';
import { openApiSide } from '../../../src/roles/api.ts';
import { startSimulator } from '../../../src/simulator/simulator.ts';
import { openOwnDatabase } from '../../support/database.ts';
import { testKeyring } from '../../support/factories/numbers.ts';
import { aWorkspace } from '../../support/factories/workspaces.ts';

/** The service as it is served, at the address that it is reached at, as browsers need it. */
export interface RealScene {
  readonly database: Database;
  readonly ctx: Context;
  readonly baseUrl: string;
  /** An app on this machine that waits to be called back: an address that answers anything. */
  readonly callback: string;
  readonly smtpUrl: string;
  /** What was mailed to an address, as the mail server took it. */
  mailsTo(address: string): Promise<string[]>;
  freshCounters(): Promise<unknown>;
  close(): Promise<void>;
}

const APP_PAGE = '<!doctype html><html lang="en"><title>App</title><h1>Back in the app</h1></html>';

export async function aRealScene(): Promise<RealScene> {
  const database = await openOwnDatabase();
  const { ctx } = await aWorkspace(database);
  const simulator = await startSimulator({
    port: 0,
    callbackUrl: 'http://127.0.0.1:9',
    appSecret: 's',
  });
  const app = createServer((_, res) => {
    res.setHeader('content-type', 'text/html; charset=utf-8');
    res.end(APP_PAGE);
  });
  const reserved = createServer();
  const appPort = await listen(app);
  const port = await listen(reserved);
  await new Promise((resolve) => reserved.close(resolve));
  const baseUrl = `http://localhost:${port}`;
  const wake = (): void => {};
  const shared = {
    database,
    keyring: testKeyring,
    clock: { now: () => new Date(), skewMs: 0 },
    wake,
    baseUrl,
    log: createLog({ level: 'silent', format: 'json' }),
  };
  const counts = inboundCounts(httpMetrics().registry);
  const receiver = createReceiver({ database, appSecret: 's', verifyToken: 'v', counts, wake });
  const mail = { url: simulator.smtpUrl, from: 'no-reply@example.com' };
  const side = await openApiSide({
    ...shared,
    trustedOrigins: [],
    receiver,
    mail,
    ai: false,
    uploadMbADay: 1_000,
  });
  const { handler } = createApp({ ...shared, ...side });
  const http = createHttpServer(handler, baseUrl);
  await new Promise<void>((resolve) => http.listen(port, 'localhost', resolve));
  return {
    database,
    ctx,
    baseUrl,
    callback: `http://127.0.0.1:${appPort}/callback`,
    smtpUrl: simulator.smtpUrl,
    mailsTo: async (address) => {
      const response = await fetch(`${simulator.url}/simulator/mails?to=${address}`);
      const { data } = (await response.json()) as { data: { text: string }[] };
      return data.map(({ text }) => text);
    },
    freshCounters: () => database.system.query('delete from sign_in_attempts'),
    close: async () => {
      side.close();
      await stopHttpServer(http, 1_000);
      await simulator.stop();
      await new Promise((resolve) => {
        app.closeAllConnections();
        app.close(resolve);
      });
      await database.close();
    },
  };
}

const listen = (server: Server): Promise<number> =>
  new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)),
  );

/** Where an app sends a person's browser. */
export function authorizeUrl(
  { baseUrl }: RealScene,
  clientId: string,
  params: Readonly<Record<string, string>>,
): string {
  const challenge = createHash('sha256').update(randomBytes(32)).digest('base64url');
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    scope: 'contacts:read offline_access',
    state: 'the-state',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    resource: `${baseUrl}/api/v1`,
    ...params,
  });
  return `${baseUrl}/api/auth/oauth2/authorize?${query}`;
}
