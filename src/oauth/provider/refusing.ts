import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import type { HtmlPage } from '../../http/error-telling.ts';
import type { Addresses } from '../addresses.ts';
import { findClient } from '../clients/clients.ts';
import { isRegisteredId } from '../clients/registration.ts';
import { currentExchange } from './exchange.ts';
import { errorPage, leavingPage } from './pages.ts';

interface Refusal {
  readonly error: string;
  readonly description: string;
}

/** Requests that cannot continue, and about which the library tells the app. */
const refusals = new WeakMap<object, Refusal>();

/** Records what is wrong with a request before the library answers it. */
export function noteRefusals(provider: Provider): void {
  provider.on('authorization.error', (ctx, { error, error_description: description = '' }) => {
    refusals.set(ctx, { error, description });
  });
}

/** The app cannot be told, because it or its address is unknown: the person sees what is wrong. */
export function refuseHere(ctx: KoaContextWithOIDC, error: string, description = ''): void {
  refusals.delete(ctx);
  if (error === 'server_error') {
    ctx.status = 503;
    ctx.set('Retry-After', '1');
  }
  const { client, params } = ctx.oidc ?? {};
  const removed = !client && isRegisteredId(params?.client_id ?? ctx.query['client_id']);
  show(ctx, errorPage({ error, description, removed, languages: ctx.get('accept-language') }));
}

/**
 * Tells the app in the query of its redirect address, the only way we offer, even if the request asked for a fragment
 * or a form. Only for apps made by an Owner or Admin: for self-registered ones, an error does not redirect without
 * the person seeing it (RFC 9700, 4.11.2).
 */
export async function tellOfRefusal(ctx: KoaContextWithOIDC, addresses: Addresses): Promise<void> {
  const refusal = refusals.get(ctx);
  if (!refusal) return;
  const target = targetOf(ctx, refusal, addresses);
  const client = await findClient(currentExchange().sql, ctx.oidc.client?.clientId ?? '');
  if (client?.source === 'app') {
    ctx.status = 303;
    ctx.redirect(target);
    return;
  }
  ctx.status = 400;
  ctx.remove('Location');
  show(ctx, leavingPage({ ...refusal, languages: ctx.get('accept-language') }, target));
}

function targetOf(
  { oidc, query }: KoaContextWithOIDC,
  { error, description }: Refusal,
  { issuer }: Addresses,
): string {
  const { redirect_uri: address, state } = oidc.params ?? query;
  const url = new URL(String(address));
  url.searchParams.set('error', error);
  if (description) url.searchParams.set('error_description', description);
  if (typeof state === 'string' && state) url.searchParams.set('state', state);
  url.searchParams.set('iss', issuer);
  return url.href;
}

function show(ctx: KoaContextWithOIDC, { html, csp }: HtmlPage): void {
  ctx.type = 'html';
  ctx.set('Content-Security-Policy', csp);
  ctx.body = html;
}
