import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createApp } from '../../../src/app.ts';
import { consoleMounts } from '../../../src/console/mount.ts';
import { consolePages } from '../../../src/console/pages.ts';
import type { Context } from '../../../src/context.ts';
import { createHttpServer, stopHttpServer } from '../../../src/http/serving/server.ts';
import { createLog } from '../../../src/log.ts';
import { openAuthorizationServer } from '../../../src/oauth/server.ts';
import { assetMounts, HTMX, STYLE } from '../../../src/pages/assets.ts';
import { createAttempts } from '../../../src/people/attempts.ts';
import { createRoutes } from '../../../src/routes.ts';
import { consentMount } from '../../../src/sign-in/consent.ts';
import { comingInMounts } from '../../../src/sign-in/mounts.ts';
import { openOwnDatabase } from '../../support/database.ts';
import { testKeyring } from '../../support/factories/numbers.ts';
import { aWorkspace } from '../../support/factories/workspaces.ts';
import { ownPort } from '../../support/ports.ts';

/** The API, the authorization server, the pages and the console at one address, and an app that waits to be called. */
export interface Whole {
  readonly ctx: Context;
  readonly baseUrl: string;
  readonly issuer: string;
  readonly api: string;
  /** The app's redirect URI: an address on this machine that answers with a page of its own. */
  readonly callback: string;
  close(): Promise<void>;
}

export async function openWhole(): Promise<Whole> {
  const database = await openOwnDatabase();
  const { ctx } = await aWorkspace(database);
  const port = await ownPort();
  const baseUrl = `http://localhost:${port}`;
  const parts = {
    database,
    baseUrl,
    keyring: testKeyring,
    clock: { now: () => new Date(), skewMs: 0 },
    wake: () => {},
    log: createLog({ level: 'silent', format: 'json' }),
    attempts: createAttempts({ database, keyring: testKeyring }),
    mailer: null,
    trustedOrigins: [],
    routes: createRoutes({ keyring: testKeyring, trustedOrigins: [], baseUrl, ai: false }),
  };
  const oauth = await openAuthorizationServer(parts);
  const { handler } = createApp({
    ...parts,
    findMember: (token) => oauth.access.findMember(token, `${baseUrl}/api/v1`),
    mounts: [
      ...oauth.mounts,
      ...assetMounts([STYLE, HTMX]),
      ...comingInMounts(parts),
      ...consoleMounts(parts, consolePages),
      consentMount({ ...parts, interactions: oauth.interactions }),
    ],
  });
  const http = createHttpServer(handler, baseUrl);
  await new Promise<void>((resolve) => http.listen(port, 'localhost', resolve));
  const app = await aWaitingApp();
  return {
    ctx,
    baseUrl,
    issuer: `${baseUrl}/api/auth`,
    api: `${baseUrl}/api/v1`,
    callback: `http://127.0.0.1:${(app.address() as AddressInfo).port}/callback`,
    close: async () => {
      oauth.close();
      app.closeAllConnections();
      await new Promise((resolve) => app.close(resolve));
      await stopHttpServer(http, 1_000);
      await database.close();
    },
  };
}

async function aWaitingApp(): Promise<Server> {
  const app = createServer((_, res) => {
    res.setHeader('content-type', 'text/html; charset=utf-8');
    res.end('<!doctype html><html lang="en"><title>Planner</title><h1>Back in the app</h1></html>');
  });
  await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve));
  return app;
}
