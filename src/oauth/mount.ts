import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { Keyring } from '../crypto/keyring.ts';
import type { Clock } from '../db/clock.ts';
import type { Database } from '../db/database.ts';
import { AppError } from '../errors.ts';
import { readBody } from '../http/body/body.ts';
import { networkOf } from '../http/callers/client-ip.ts';
import type { ErrorPage } from '../http/error-telling.ts';
import type { Framed } from '../http/framed.ts';
import type { Mount } from '../http/mount.ts';
import { requestOf } from '../http/serving/frame.ts';
import { type Addresses, ISSUER_PATH, resourceMetadataOf } from './addresses.ts';
import { countRequest, type Limited } from './limits.ts';
import { prepareBody, refuseNul } from './prepare.ts';
import { protocolError } from './protocol-errors.ts';
import type { CurrentProvider } from './provider/current-provider.ts';
import { exchanges, newExchange } from './provider/exchange.ts';
import { resourceMetadata } from './provider/middleware.ts';
import { errorPage } from './provider/pages.ts';

export interface MountParts {
  readonly database: Pick<Database, 'system'>;
  readonly clock: Clock;
  readonly keyring: Keyring;
  readonly addresses: Addresses;
  /** The library with the current keys. */
  readonly stand: CurrentProvider;
}

const MAX_BODY = 64 * 1024;

interface Place {
  /** The path by which the library knows it. */
  readonly inner: string;
  readonly methods: readonly string[];
  readonly limited?: Limited;
  /** A person's browser comes here with cookies, so pages of other origins must not be able to read the answer. */
  readonly browser?: true;
}

const WELL_KNOWN = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'];

/** Every address there is. They match exactly: a different case or an extra slash is not found. */
const PLACES: Readonly<Record<string, Place>> = {
  '/oauth2/authorize': {
    inner: '/oauth2/authorize',
    methods: ['GET'],
    limited: 'authorize',
    browser: true,
  },
  '/oauth2/authorize/:uid': { inner: '/oauth2/authorize/:uid', methods: ['GET'], browser: true },
  '/oauth2/token': { inner: '/oauth2/token', methods: ['POST'], limited: 'token' },
  '/oauth2/register': { inner: '/oauth2/register', methods: ['POST'], limited: 'register' },
  '/oauth2/revoke': { inner: '/oauth2/revoke', methods: ['POST'], limited: 'revoke' },
  '/oauth2/introspect': { inner: '/oauth2/introspect', methods: ['POST'], limited: 'introspect' },
  '/oauth2/userinfo': {
    inner: '/oauth2/userinfo',
    methods: ['GET', 'POST'],
    limited: 'userinfo',
  },
  '/oauth2/par': { inner: '/oauth2/par', methods: ['POST'], limited: 'token' },
  '/jwks': { inner: '/jwks', methods: ['GET'] },
  ...Object.fromEntries(WELL_KNOWN.map((inner) => [inner, { inner, methods: ['GET'] }])),
};

/** All addresses of the authorization server, and the metadata of what it protects. */
export const oauthMounts = (parts: MountParts): Mount[] => [
  ...Object.entries(PLACES).map(([path, place]) => placeMount(parts, ISSUER_PATH + path, place)),
  // RFC 8414 puts the issuer's path after the well-known part.
  ...WELL_KNOWN.map((inner) => placeMount(parts, inner + ISSUER_PATH, { inner, methods: ['GET'] })),
  ...[parts.addresses.api, parts.addresses.mcp].map((resource) =>
    resourceMount(parts.addresses, resource),
  ),
];

const placeMount = (parts: MountParts, path: string, place: Place): Mount => ({
  path,
  ...(place.browser
    ? { methods: place.methods, errorPage: refusalPage }
    : { errorBody: protocolError }),
  handle: async (ctx) => {
    if (place.browser || !openTo(ctx, place.methods)) await answer(parts, ctx, place);
  },
});

const refusalPage: ErrorPage = ({ code, message }, { languages }) =>
  errorPage({ error: code, description: message, languages });

const resourceMount = (addresses: Addresses, resource: string): Mount => ({
  path: new URL(resourceMetadataOf(resource)).pathname,
  handle: (ctx) => {
    if (openTo(ctx, ['GET'])) return;
    ctx.set('Cache-Control', 'public, max-age=3600');
    ctx.body = resourceMetadata(resource, addresses);
  },
});

/**
 * Clients in browsers of any origin may call these, because no cookie is read here.
 *
 * @returns whether the answer is complete
 */
function openTo(ctx: Framed, methods: readonly string[]): boolean {
  ctx.set('Access-Control-Allow-Origin', '*');
  ctx.set('Access-Control-Expose-Headers', 'WWW-Authenticate');
  if (ctx.method !== 'OPTIONS') {
    const method = ctx.method === 'HEAD' ? 'GET' : ctx.method;
    if (methods.includes(method)) return false;
    throw new AppError('method_not_allowed', `${ctx.method} is not possible here.`, {
      allowed: methods,
    });
  }
  ctx.set('Access-Control-Allow-Methods', methods.join(', '));
  ctx.set('Access-Control-Allow-Headers', 'authorization, content-type, mcp-protocol-version');
  ctx.set('Access-Control-Max-Age', '3600');
  ctx.status = 204;
  return true;
}

async function answer(parts: MountParts, ctx: Framed, place: Place): Promise<void> {
  const { database, clock, keyring, addresses, stand } = parts;
  const exchange = newExchange(database, clock.now(), requestOf(ctx));
  const bytes = ctx.method === 'POST' ? await readBody(ctx.req, MAX_BODY) : null;
  if (bytes && ctx.search !== '')
    throw new AppError('bad_request', 'Send everything in the body, nothing in the query.');
  // Counted before anything is looked at, because refused requests cost something too.
  const counter = place.limited
    ? await countRequest(
        { sql: exchange.sql, keyring },
        place.limited,
        networkOf(ctx.state.ip ?? ''),
        clientOf(ctx, bytes),
      )
    : null;
  refuseNul(ctx.search);
  const { keys, provider } = stand.current();
  const prepared =
    bytes && (await prepareBody(exchange.sql, place.inner, bytes, { keys, addresses }));
  if (prepared?.refused) {
    ctx.status = 400;
    ctx.body = prepared.refused;
    return;
  }
  const inner = place.inner.replace(':uid', ctx.state.params?.['uid'] ?? '');
  const req = replay(ctx.req, inner + ctx.search, prepared?.bytes ?? null);
  ctx.respond = false;
  const here = { ...exchange, counter, presented: prepared?.presented ?? null };
  await exchanges.run(here, () => (provider.callback() as Handle)(req, ctx.res));
}

type Handle = (req: IncomingMessage, res: ServerResponse) => Promise<void>;

/** The request as the library should see it: under the path it knows, with the body already read and checked. */
function replay(req: IncomingMessage, url: string, body: Buffer | null): IncomingMessage {
  const { 'transfer-encoding': _chunked, ...headers } = req.headers;
  const own = (value: unknown): PropertyDescriptor => ({ value, enumerable: true });
  if (!body) return Object.create(req, { url: own(url) }) as IncomingMessage;
  return Object.create(req, {
    url: own(url),
    headers: own({ ...headers, 'content-length': String(body.length) }),
    readable: own(true),
    readableEncoding: own(null),
    iterator: own(() => Readable.from([body])),
  }) as IncomingMessage;
}

const CLIENT_ID = /^(?:app|dcr)_[\w-]{1,64}$/;

/** The client that a request claims to be, for counting only: nothing is verified yet. */
function clientOf(ctx: Framed, body: Buffer | null): string | null {
  const basic = /^basic ([A-Za-z0-9+/=]{1,500})$/i.exec(ctx.get('Authorization'))?.[1];
  const claimed = basic
    ? Buffer.from(basic, 'base64').toString('utf8').split(':')[0]
    : new URLSearchParams(body?.toString('utf8')).get('client_id');
  return claimed && CLIENT_ID.test(claimed) ? claimed : null;
}
