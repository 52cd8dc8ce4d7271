import { createHash, randomBytes } from 'node:crypto';
import type { Context } from '../../src/context.ts';
import type { Database } from '../../src/db/database.ts';
import { CookieBrowser, hiddenIn } from '../../test/support/cookie-browser.ts';
import { signedInCookie } from '../../test/support/people.ts';

const REDIRECT = 'http://127.0.0.1:4567/callback';

/** An app that registered by itself, as people connect it. */
export interface ConnectedApp {
  readonly issuer: string;
  readonly resource: string;
  readonly clientId: string;
}

async function json<T>(response: Response): Promise<T> {
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

export async function registerApp(baseUrl: string): Promise<ConnectedApp> {
  const metadata = `${baseUrl}/.well-known/oauth-protected-resource/api/v1`;
  const { resource, authorization_servers: servers } = await json<{
    resource: string;
    authorization_servers: string[];
  }>(await fetch(metadata));
  const [issuer = ''] = servers;
  const { client_id: clientId } = await json<{ client_id: string }>(
    await fetch(`${issuer}/oauth2/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        client_name: 'Bench',
        redirect_uris: [REDIRECT],
        token_endpoint_auth_method: 'none',
      }),
    }),
  );
  return { issuer, resource, clientId };
}

/** The whole flow for one member, by the pages that people see. @returns an access token of `contacts:read` */
export async function connect(
  { issuer, resource, clientId }: ConnectedApp,
  { database, ctx, memberId }: { database: Database; ctx: Context; memberId: string },
): Promise<string> {
  const verifier = randomBytes(32).toString('base64url');
  const asked = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: REDIRECT,
    scope: 'contacts:read',
    state: 'bench',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    resource,
  });
  const browser = new CookieBrowser(await signedInCookie(ctx, database, memberId));
  const follow = async (response: Response): Promise<string> => {
    const location = response.headers.get('location');
    if (location) return new URL(location, response.url || issuer).href;
    throw new Error(`${response.status} ${await response.text()}`);
  };
  const page = await follow(await browser.fetch(`${issuer}/oauth2/authorize?${asked}`));
  const hidden = hiddenIn(await (await browser.fetch(page)).text());
  const answer = { ...hidden, answer: 'allow', workspace: ctx.organizationId };
  const back = await follow(
    await browser.fetch(await follow(await browser.fetch(page, { fields: answer }))),
  );
  const code = new URL(back).searchParams.get('code') ?? '';
  const { access_token: token } = await json<{ access_token: string }>(
    await fetch(`${issuer}/oauth2/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        client_id: clientId,
        redirect_uri: REDIRECT,
        code_verifier: verifier,
        code,
        resource,
      }),
    }),
  );
  return token;
}
