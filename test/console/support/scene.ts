import { ROLES, type Role } from '../../../src/access/roles.ts';
import { consoleMounts } from '../../../src/console/mount.ts';
import { consolePages } from '../../../src/console/pages.ts';
import type { Context } from '../../../src/context.ts';
import type { Clock } from '../../../src/db/clock.ts';
import { asSystem, inWorkspace } from '../../../src/db/database.ts';

import type { Mail, Mailer } from '../../../src/mail/mailer.ts';
import { assetMounts, HTMX, STYLE } from '../../../src/pages/assets.ts';
import { createAttempts } from '../../../src/people/attempts.ts';
import { openSession } from '../../../src/people/sessions.ts';
import { createRoutes } from '../../../src/routes.ts';
import { openOwnDatabase } from '../../support/database.ts';
import { testKeyring } from '../../support/factories/numbers.ts';
import { aWorkspace } from '../../support/factories/workspaces.ts';
import { doorOf, type OpenDoor, type Reply, serveApi } from '../../support/http.ts';
import { aMember } from '../../support/members.ts';

/** A person in one browser. */
export interface Visitor {
  readonly memberId: string;
  /** The value of the session's cookie. */
  readonly token: string;
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Reply>;
  /** What the forms of this person's pages carry. */
  csrf(): Promise<string>;
  /** Sends the form of this action with these fields, as the person's own page would. */
  send(path: string, action: string, fields?: Fields): Promise<Reply>;
  /** Sends exactly these fields. */
  post(path: string, fields: Fields, headers?: Readonly<Record<string, string>>): Promise<Reply>;
}

export type Fields = Readonly<Record<string, string | readonly string[]>>;

/** A workspace with the console in front of it, and a signed-in person of each role. */
export interface ConsoleScene extends OpenDoor {
  readonly ctx: Context;
  readonly databaseUrl: string;
  /** `/console/<organizationId>` */
  readonly base: string;
  /** What was handed to the mail server. */
  readonly mails: readonly Mail[];
  readonly people: Readonly<Record<Role, Visitor>>;
  visitor(memberId: string, ctx?: Context): Promise<Visitor>;
}

interface Served {
  readonly clock?: Clock;
  readonly baseUrl?: string;
}

const CLOCK: Clock = { now: () => new Date(), skewMs: 0 };

/**
 * @param sendsMail whether there is a mail server
 */
export async function aConsoleScene(
  trustedOrigins: readonly string[] = [],
  sendsMail = true,
  { clock = CLOCK, baseUrl = 'http://console.test' }: Served = {},
): Promise<ConsoleScene> {
  const database = await openOwnDatabase();
  const { ctx } = await aWorkspace(database);
  const shared = { database, wake: () => {}, clock, keyring: testKeyring, baseUrl };
  const mails: Mail[] = [];
  const server: Mailer = {
    send: async (mail) => void mails.push(mail),
    close: () => {},
  };
  const mailer = sendsMail ? server : null;
  const routes = createRoutes({ keyring: testKeyring, trustedOrigins, baseUrl });
  const attempts = createAttempts(shared);
  const api = await serveApi(database, {
    ...shared,
    routes: [],
    mounts: [
      ...consoleMounts({ ...shared, routes, trustedOrigins, mailer, attempts }, consolePages),
      ...assetMounts([STYLE, HTMX]),
    ],
  });
  const visitor = async (memberId: string, workspace = ctx): Promise<Visitor> => {
    const token = await signIn(workspace, memberId);
    const jar = new Map([['wms_session', token]]);
    const ask: Ask = async (method, path, body, headers = {}) => {
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
      const response = await fetch(api.url + path, {
        method,
        redirect: 'manual',
        headers: { cookie, 'accept-language': 'en', ...headers },
        ...(body ? { body } : {}),
      });
      for (const line of response.headers.getSetCookie()) keep(jar, line);
      return {
        status: response.status,
        headers: response.headers,
        text: await response.text(),
        body: null,
      };
    };
    return visitorOf(memberId, token, `/console/${workspace.organizationId}`, ask);
  };
  const signIn = async (workspace: Context, memberId: string): Promise<string> => {
    const [row] = await inWorkspace(database, workspace.organizationId, (sql) =>
      sql.rows<{ user_id: string }>('select user_id from members where id = $1', [memberId]),
    );
    const person = { userId: row?.user_id ?? '', ip: null, userAgent: null };
    return asSystem(database, (sql) => openSession({ sql, now: clock.now() }, person));
  };
  const entries = await Promise.all(
    ROLES.map(async (role) => {
      const member = await aMember(ctx, { role });
      return [role, await visitor(member.id)] as const;
    }),
  );
  return {
    ctx,
    databaseUrl: database.url,
    ...doorOf(database, api),
    base: `/console/${ctx.organizationId}`,
    mails,
    people: Object.fromEntries(entries) as Record<Role, Visitor>,
    visitor,
  };
}

type Ask = (
  method: string,
  path: string,
  body?: URLSearchParams,
  headers?: Readonly<Record<string, string>>,
) => Promise<Reply>;

function keep(jar: Map<string, string>, line: string): void {
  const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
  if (/Max-Age=0(;|$)/.test(line)) jar.delete(name);
  else jar.set(name, value);
}

function visitorOf(memberId: string, token: string, home: string, ask: Ask): Visitor {
  const get: Visitor['get'] = (path, headers) => ask('GET', path, undefined, headers);
  const post: Visitor['post'] = (path, fields, headers) => {
    const body = new URLSearchParams();
    for (const [name, value] of Object.entries(fields))
      for (const one of [value].flat()) body.append(name, one);
    return ask('POST', path, body, headers);
  };
  const csrf = async (): Promise<string> =>
    /name="_csrf" value="([^"]+)"/.exec((await get(home)).text)?.[1] ?? '';
  return {
    memberId,
    token,
    get,
    post,
    csrf,
    send: async (path, action, fields = {}) => {
      const { text } = await get(path);
      const shown = (name: string) => new RegExp(`name="${name}" value="([^"]+)"`).exec(text)?.[1];
      const token = shown('_csrf') ?? (await csrf());
      const seen = shown('seen');
      return post(path, { _csrf: token, action, ...(seen ? { seen } : {}), ...fields });
    },
  };
}
