import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import { SCOPE_NAMES } from '../../access/scopes.ts';
import { auditAll } from '../../audit/service.ts';
import type { Context, Wake } from '../../context.ts';
import { actingIn, type Database } from '../../db/database.ts';
import type { Log } from '../../log.ts';
import { pauseMadeThrough } from '../../webhooks/pausing.ts';
import { type Addresses, ALL_SCOPES, TOOL_SCOPES } from '../addresses.ts';
import { presentRegistration } from '../clients/registration.ts';
import { countRefusal } from '../limits.ts';
import { LATER } from '../protocol-errors.ts';
import { askedFor, keyOf } from './adapter.ts';
import { currentExchange, inOneTransaction } from './exchange.ts';
import { tellOfRefusal } from './refusing.ts';
import { sealAnswer } from './repeats.ts';
import { AUTH_METHODS } from './settings.ts';

type Ctx = KoaContextWithOIDC;

/** Answers that may be cached for an hour: a key is published that long before it signs. */
const LASTING = /^\/(?:jwks$|\.well-known\/)/;

interface MiddlewareParts {
  readonly database: Pick<Database, 'system'>;
  readonly addresses: Addresses;
  readonly wake: Wake;
  readonly log: Log;
}

/** The middleware around the library, outermost first. */
export function useMiddleware(
  provider: Provider,
  { database, addresses, wake, log }: MiddlewareParts,
): void {
  provider.use(async (ctx, next) => {
    await next().catch((err: unknown) => {
      log.error({ err }, 'the authorization server failed');
      ctx.body = { error: 'server_error' };
    });
    // The library calls its own faults the same, also a query of ours that failed.
    if ((ctx.body as { error?: unknown } | null)?.error !== 'server_error') return;
    ctx.status = 503;
    ctx.set('Retry-After', '1');
    ctx.body = LATER;
  });
  provider.use(async (ctx, next) => {
    await next();
    const { counter, sql } = currentExchange();
    if (counter !== null && ctx.status >= 400 && ctx.status < 500) await countRefusal(sql, counter);
  });
  provider.use(async (ctx, next) => {
    if (ctx.path !== '/oauth2/token' && ctx.path !== '/oauth2/revoke') return next();
    const recorded: Context['recorded'] = new Set();
    await inOneTransaction(database, currentExchange(), async () => {
      await next();
      await keepAnswer(ctx as Ctx);
      await logEnded(ctx as Ctx, recorded);
      return ctx.status < 400;
    });
    await Promise.all([...recorded].map((news) => wake(news)));
  });
  provider.use(async (ctx, next) => {
    await next();
    if (ctx.path === '/oauth2/authorize') await tellOfRefusal(ctx as Ctx, addresses);
    else if (ctx.path === '/oauth2/register' && ctx.status === 201)
      ctx.body = presentRegistration(ctx.body as Readonly<Record<string, unknown>>);
    else if (ctx.path.startsWith('/.well-known/') && ctx.status === 200)
      ctx.body = completed(ctx.body as object, addresses);
    if (ctx.method !== 'POST' && ctx.status === 200 && LASTING.test(ctx.path))
      ctx.set('Cache-Control', 'public, max-age=3600');
  });
}

/** Stores the first answer for repeats; a repeat gets it. */
async function keepAnswer(ctx: Ctx): Promise<void> {
  const { consumed, repeated, sql } = currentExchange();
  if (repeated !== null) {
    ctx.status = 200;
    ctx.body = JSON.parse(repeated);
    return;
  }
  if (consumed === null || ctx.status !== 200) return;
  const key = keyOf('RefreshToken', consumed);
  const answer = sealAnswer(consumed, key, askedFor(ctx), JSON.stringify(ctx.body));
  await sql.rows(
    "update oauth_artifacts set answer = $2 where model = 'RefreshToken' and key = $1",
    [key, answer],
    'oauth-answer-keep',
  );
}

/**
 * Writes to the workspace's audit log when a reused code or token revoked a grant, or when the app revoked its own. What the
 * app created is paused where its connection ended with that.
 */
async function logEnded(ctx: Ctx, recorded: Context['recorded']): Promise<void> {
  const { sql, arrived: now, request, endedGrants } = currentExchange();
  const grantType = ctx.path === '/oauth2/token' ? String(ctx.oidc.params?.grant_type) : null;
  for (const { disconnected, ...grant } of endedGrants) {
    const { organizationId, clientId, clientName, memberId, memberName } = grant;
    if (grantType === null && !disconnected) continue;
    const app = { id: clientId, name: clientName };
    const actor = { type: 'member', id: memberId, name: memberName, app } as const;
    const changes = [
      ...(grantType ? [{ field: 'grant_type', from: null, to: grantType }] : []),
      ...(disconnected ? [{ field: 'member', from: memberId, to: null }] : []),
    ];
    const action = grantType ? 'app.token_reused' : 'app.disconnected';
    const target = { type: 'app', ...app };
    await actingIn(sql, organizationId, async () => {
      const where = { sql, organizationId, now };
      const ended = disconnected ? [memberId] : [];
      const paused = await pauseMadeThrough({ ...where, recorded }, app, ended);
      await auditAll({ ...where, actor, request }, [{ action, target, changes }, ...paused]);
    });
  }
}

/** What the library's metadata leaves out. */
const completed = (metadata: object, { api, mcp }: Addresses): object => ({
  ...metadata,
  scopes_supported: ALL_SCOPES,
  response_modes_supported: ['query'],
  claims_supported: [
    'sub',
    'organization_id',
    'name',
    'email',
    'iss',
    'aud',
    'exp',
    'iat',
    'auth_time',
  ],
  protected_resources: [api, mcp],
  revocation_endpoint_auth_methods_supported: AUTH_METHODS,
  introspection_endpoint_auth_methods_supported: AUTH_METHODS,
});

/** Which server issues tokens for a resource, and which scopes it knows (RFC 9728). */
export const resourceMetadata = (
  resource: string,
  { issuer, mcp, baseUrl }: Addresses,
): object => ({
  resource,
  authorization_servers: [issuer],
  bearer_methods_supported: ['header'],
  // Agents request exactly these scopes: without offline_access a person would have to sign in every 10 minutes.
  scopes_supported: resource === mcp ? ['offline_access', ...TOOL_SCOPES] : SCOPE_NAMES,
  resource_name: resource === mcp ? 'Workspace Messaging agent tools' : 'Workspace Messaging API',
  resource_documentation: `${baseUrl}/docs/${resource === mcp ? 'connecting-agents' : 'building-apps'}`,
});
