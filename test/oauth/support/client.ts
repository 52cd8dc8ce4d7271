import { createHash, randomBytes } from 'node:crypto';
import { CookieBrowser } from '../../support/cookie-browser.ts';
import { answer, ask } from './browser.ts';
import { type Person, REDIRECT } from './people.ts';
import type { OAuthScene } from './scene.ts';

/** What an app sends, written out: tests change a part of it and see what happens. */
export interface Flow {
  readonly clientId: string;
  readonly secret: string | null;
  readonly verifier: string;
  readonly params: Readonly<Record<string, string>>;
}

export interface Tokens {
  readonly access_token: string;
  readonly token_type: string;
  readonly expires_in: number;
  readonly refresh_token?: string;
  readonly scope?: string;
  readonly id_token?: string;
}

export interface Said {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into answers of every shape
  readonly body: any;
}

const challengeOf = (verifier: string): string =>
  createHash('sha256').update(verifier).digest('base64url');

export function aFlow(
  { api }: Pick<OAuthScene, 'api'>,
  { id, secret }: { id: string; secret: string | null },
  changes: Readonly<Record<string, string>> = {},
): Flow {
  const verifier = randomBytes(32).toString('base64url');
  const params = {
    response_type: 'code',
    client_id: id,
    redirect_uri: REDIRECT,
    scope: 'contacts:read contacts:write offline_access',
    state: randomBytes(8).toString('hex'),
    code_challenge: challengeOf(verifier),
    code_challenge_method: 'S256',
    resource: api,
    ...changes,
  };
  return { clientId: id, secret, verifier, params };
}

export const authorizeUrl = ({ issuer }: Pick<OAuthScene, 'issuer'>, { params }: Flow): string =>
  `${issuer}/oauth2/authorize?${new URLSearchParams(params)}`;

/** The code that the app gets when the person grants everything. */
export async function codeOf(scene: OAuthScene, flow: Flow, person: Person): Promise<string> {
  const browser = new CookieBrowser();
  const asked = await ask(browser, authorizeUrl(scene, flow));
  const back = await answer(browser, asked, person.approval(asked.view.scopes));
  const code = back.searchParams.get('code');
  if (!code) throw new Error(`no code: ${back.search}`);
  return code;
}

export async function post(
  url: string,
  fields: Readonly<Record<string, string>>,
  { clientId, secret }: Pick<Flow, 'clientId' | 'secret'>,
): Promise<Said> {
  const basic = secret === null ? {} : { authorization: basicOf(clientId, secret) };
  const own = secret === null ? { client_id: clientId } : {};
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...basic },
    body: new URLSearchParams({ ...fields, ...own }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text ? asJson(text) : null };
}

const asJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

const basicOf = (id: string, secret: string): string =>
  `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;

export const exchange = (
  { issuer }: Pick<OAuthScene, 'issuer'>,
  flow: Flow,
  code: string,
  changes: Readonly<Record<string, string>> = {},
): Promise<Said> =>
  post(
    `${issuer}/oauth2/token`,
    {
      grant_type: 'authorization_code',
      code,
      redirect_uri: flow.params['redirect_uri'] ?? '',
      code_verifier: flow.verifier,
      ...(flow.params['resource'] ? { resource: flow.params['resource'] } : {}),
      ...changes,
    },
    flow,
  );

export const refresh = (
  { issuer }: Pick<OAuthScene, 'issuer'>,
  flow: Flow,
  refreshToken: string,
  changes: Readonly<Record<string, string>> = {},
): Promise<Said> =>
  post(
    `${issuer}/oauth2/token`,
    { grant_type: 'refresh_token', refresh_token: refreshToken, ...changes },
    flow,
  );

/** The whole way, from the app's request to its tokens. */
export async function tokensOf(scene: OAuthScene, flow: Flow, person: Person): Promise<Tokens> {
  const said = await exchange(scene, flow, await codeOf(scene, flow, person));
  if (said.status !== 200) throw new Error(`${said.status} ${JSON.stringify(said.body)}`);
  return said.body as Tokens;
}

/** A call of the API with an access token. */
export async function callApi(
  baseUrl: string,
  token: string,
  path = '/api/v1/contacts',
): Promise<Said> {
  const response = await fetch(baseUrl + path, { headers: { authorization: `Bearer ${token}` } });
  return { status: response.status, headers: response.headers, body: await response.json() };
}
