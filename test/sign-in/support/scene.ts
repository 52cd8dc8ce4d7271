import type { Context } from '../../../src/context.ts';
import type { Mount } from '../../../src/http/mount.ts';
import { createLog } from '../../../src/log.ts';
import type { Mail } from '../../../src/mail/mailer.ts';
import { assetMounts, STYLE } from '../../../src/pages/assets.ts';
import { createAttempts } from '../../../src/people/attempts.ts';
import { comingInMounts } from '../../../src/sign-in/mounts.ts';
import type { SignInParts } from '../../../src/sign-in/parts.ts';
import { type OwnDatabase, openOwnDatabase } from '../../support/database.ts';
import { testKeyring } from '../../support/factories/numbers.ts';
import { aWorkspace } from '../../support/factories/workspaces.ts';
import { serveApi, type TestApi } from '../../support/http.ts';

/** A workspace, and the pages on which people come in. */
export interface SignInScene {
  readonly database: OwnDatabase;
  readonly ctx: Context;
  readonly api: TestApi;
  readonly parts: SignInParts;
  /** What was mailed, in order. */
  readonly mails: Mail[];
  /** A browser without a cookie. */
  browser(): TestBrowser;
  /** What the pages take for now; null for the real time. */
  setNow(now: Date | null): void;
  /** Forgives what was tried so far. */
  freshCounters(): Promise<unknown>;
  close(): Promise<void>;
}

interface Got {
  readonly status: number;
  readonly html: string;
  readonly headers: Headers;
  /** Where it leads; "" when nowhere. */
  readonly location: string;
}

/** Keeps cookies and sends forms as a browser does; follows nothing by itself. */
export interface TestBrowser {
  cookie: string;
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Got>;
  post(
    path: string,
    fields: Readonly<Record<string, string>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Got>;
  /** The same with the hidden token of the page the form stands on. */
  send(page: string, path: string, fields: Readonly<Record<string, string>>): Promise<Got>;
  signIn(email: string, password: string, next?: string): Promise<Got>;
}

export async function aSignInScene(
  more: (parts: SignInParts) => Mount[] = () => [],
): Promise<SignInScene> {
  const database = await openOwnDatabase();
  const { ctx } = await aWorkspace(database);
  let fixed: Date | null = null;
  const clock = { now: () => fixed ?? new Date(), skewMs: 0 };
  const mails: Mail[] = [];
  const parts: SignInParts = {
    database,
    wake: () => {},
    clock,
    baseUrl: 'http://api.test',
    attempts: createAttempts({ database, keyring: testKeyring }),
    mailer: { send: async (mail) => void mails.push(mail), close: () => {} },
    log: createLog({ level: 'silent', format: 'json' }),
  };
  const api = await serveApi(database, {
    routes: [],
    clock,
    mounts: [...comingInMounts(parts), ...assetMounts([STYLE]), ...more(parts)],
  });
  return {
    database,
    ctx,
    api,
    parts,
    mails,
    browser: () => openTestBrowser(api.url),
    setNow: (now) => {
      fixed = now;
    },
    freshCounters: () => database.system.query('delete from sign_in_attempts'),
    close: async () => {
      await api.close();
      await database.close();
    },
  };
}

export const csrfIn = (html: string): string =>
  /name="_csrf" value="([^"]+)"/.exec(html)?.[1] ?? '';

export function openTestBrowser(url: string, origin = 'http://api.test'): TestBrowser {
  const call = async (path: string, init: RequestInit): Promise<Got> => {
    const headers = { ...(init.headers as Record<string, string>) };
    if (browser.cookie) headers['cookie'] = browser.cookie;
    const response = await fetch(url + path, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) {
      const pair = line.split(';')[0] ?? '';
      browser.cookie = pair.endsWith('=') ? '' : pair;
    }
    const html = await response.text();
    const location = response.headers.get('location') ?? '';
    return { status: response.status, html, headers: response.headers, location };
  };
  const browser: TestBrowser = {
    cookie: '',
    get: (path, headers = {}) => call(path, { headers }),
    post: (path, fields, headers = {}) =>
      call(path, {
        method: 'POST',
        headers: {
          origin,
          'sec-fetch-site': 'same-origin',
          'content-type': 'application/x-www-form-urlencoded',
          ...headers,
        },
        body: new URLSearchParams(fields).toString(),
      }),
    send: async (page, path, fields) => {
      const { html } = await browser.get(page);
      return browser.post(path, { _csrf: csrfIn(html), ...fields });
    },
    signIn: (email, password, next = '') => browser.post('/sign-in', { email, password, next }),
  };
  return browser;
}
