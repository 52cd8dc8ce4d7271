import { createApp } from '../../../src/app.ts';
import type { News } from '../../../src/context.ts';
import { createKeyring, type Keyring } from '../../../src/crypto/keyring.ts';
import type { Database } from '../../../src/db/database.ts';
import type { Mount } from '../../../src/http/mount.ts';
import { createHttpServer, stopHttpServer } from '../../../src/http/serving/server.ts';
import { createLog } from '../../../src/log.ts';
import type { Approval } from '../../../src/oauth/consent/approving.ts';
import type { Interactions } from '../../../src/oauth/consent/interactions.ts';
import { type AuthorizationServer, openAuthorizationServer } from '../../../src/oauth/server.ts';
import { seeOther } from '../../../src/people/session-cookie.ts';
import { createRoutes } from '../../../src/routes.ts';
import { openOwnDatabase } from '../../support/database.ts';
import { findTestMember } from '../../support/members.ts';
import { ownPort } from '../../support/ports.ts';

/** A whole server with the API, the authorization server, and a consent page that obeys the test. */
export interface OAuthScene {
  readonly database: Database;
  readonly databaseUrl: string;
  readonly keyring: Keyring;
  readonly oauth: AuthorizationServer;
  readonly baseUrl: string;
  /** Where it is reached in fact: the same, unless another base address was wished for. */
  readonly reached: string;
  readonly issuer: string;
  readonly api: string;
  readonly mcp: string;
  /** What its processes told others of. */
  readonly wakes: News[];
  /** Another process over the same database: its own provider and keys in memory. */
  another(keyring?: Keyring): Promise<Process>;
  close(): Promise<void>;
}

export interface Process {
  readonly baseUrl: string;
  readonly oauth: AuthorizationServer;
  close(): Promise<void>;
}

export const KEYS = `k1:${Buffer.alloc(32, 7).toString('base64')}`;

export async function openOAuthScene(wished?: string): Promise<OAuthScene> {
  const database = await openOwnDatabase();
  const keyring = createKeyring(KEYS);
  const port = await ownPort();
  const reached = `http://127.0.0.1:${port}`;
  const baseUrl = wished ?? reached;
  const open: Process[] = [];
  const wakes: News[] = [];
  const serve = async (at: number, keys = keyring): Promise<Process> => {
    const process = await openProcess({ database, keyring: keys, baseUrl, port: at, wakes });
    open.push(process);
    return process;
  };
  const { oauth } = await serve(port);
  return {
    database,
    databaseUrl: database.url,
    keyring,
    oauth,
    baseUrl,
    reached,
    issuer: `${baseUrl}/api/auth`,
    api: `${baseUrl}/api/v1`,
    mcp: `${baseUrl}/api/mcp`,
    wakes,
    another: async (keys) => serve(await ownPort(), keys),
    close: async () => {
      for (const process of open) await process.close();
      await database.close();
    },
  };
}

interface ProcessParts {
  readonly database: Database;
  readonly keyring: Keyring;
  readonly baseUrl: string;
  readonly port: number;
  readonly wakes: News[];
}

async function openProcess({ port, wakes, ...parts }: ProcessParts): Promise<Process> {
  const { keyring, baseUrl } = parts;
  const log = createLog({ level: 'silent', format: 'json' });
  const wake = (news: News) => void wakes.push(news);
  const shared = { ...parts, clock: { now: () => new Date(), skewMs: 0 }, wake, log };
  const oauth = await openAuthorizationServer(shared);
  const app = createApp({
    ...shared,
    routes: createRoutes({ keyring, trustedOrigins: [], baseUrl, ai: false }),
    findMember: async (token) =>
      (await findTestMember(token)) ?? oauth.access.findMember(token, `${baseUrl}/api/v1`),
    mounts: [...oauth.mounts, consentMount(oauth.interactions)],
  });
  const server = createHttpServer(app.handler, baseUrl);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    oauth,
    close: async () => {
      oauth.close();
      await stopHttpServer(server, 1_000);
    },
  };
}

/** GET shows what the page would show; POST with an approval in a header answers as the person would. */
const consentMount = ({ read, approve, decline }: Interactions): Mount => ({
  path: '/oauth/authorize/:uid',
  methods: ['GET', 'POST'],
  handle: async (ctx) => {
    if (ctx.method === 'GET') {
      ctx.body = await read(ctx);
      return;
    }
    const answer = ctx.get('x-test-approval');
    if (answer === '') return seeOther(ctx, await decline(ctx));
    const approval = JSON.parse(answer) as Approval;
    const { session } = approval;
    const signedInAt = new Date(session.signedInAt);
    seeOther(ctx, await approve(ctx, { ...approval, session: { ...session, signedInAt } }));
  },
});
