import { LockMode } from '@mikro-orm/postgresql';
import { appOf } from '../access/actor.ts';
import { changesBetween } from '../audit/rules.ts';
import { audit } from '../audit/service.ts';
import type { Context, InWorkspace } from '../context.ts';
import type { Keyring } from '../crypto/keyring.ts';
import { transact } from '../db/transact.ts';
import { notFound, validation } from '../errors.ts';
import { pageOf } from '../http/page.ts';
import type { PageOf, PageRequest } from '../http/route.ts';
import { newId } from '../ids.ts';
import { checkEndpointUrl } from '../net/url.ts';
import { holdConnection } from '../oauth/connections/locking.ts';
import { checkQuota } from '../workspaces/plans.ts';
import { bringInLine, lockEndpoint, wakeRetries } from './changing.ts';
import { WebhookEndpoint } from './entities.ts';
import { presentEndpoint } from './present.ts';
import {
  countEndpoints,
  findBackground,
  findEndpoint,
  listEndpoints,
  listFailing,
} from './queries.ts';
import type { EndpointPatch, EndpointView, NewEndpoint } from './schema.ts';
import { secretPlace } from './signing/keys.ts';
import { newSecret } from './signing/signature.ts';
import { requireVisible } from './visibility.ts';

export interface EndpointParts {
  readonly keyring: Keyring;
  /** Exact origins accepted as endpoints although they are not public HTTPS; for development only. */
  readonly trustedOrigins: readonly string[];
}

/** Creates an endpoint and its secret, which is shown only this once (specification, POST /v1/webhooks). */
export async function createEndpoint(
  ctx: Context,
  input: NewEndpoint,
  { keyring, trustedOrigins }: EndpointParts,
): Promise<{ id: string; secret: string }> {
  const url = allowedUrl(input.url, trustedOrigins);
  return transact(ctx, async (tx) => {
    await holdConnection(tx);
    await checkQuota(tx, 'webhookEndpoints', () => countEndpoints(tx, null));
    const id = newId('whk');
    const secret = newSecret();
    const { organizationId, actor } = tx;
    const app = appOf(actor);
    tx.em.create(WebhookEndpoint, {
      id,
      organizationId,
      name: input.name,
      url,
      events: input.events,
      status: 'active',
      secret: keyring.encrypt(secret, secretPlace({ organizationId, endpointId: id })),
      previousSecret: null,
      previousValidUntil: null,
      secretVersion: 1,
      failuresInRow: 0,
      deletedAt: null,
      memberId: actor.type === 'member' ? actor.id : null,
      appId: app?.id ?? null,
      appName: app?.name ?? null,
      createdAt: tx.now,
    });
    await tx.em.flush();
    await audit(tx, {
      action: 'webhook.created',
      target: { type: 'webhook', id, name: input.name },
      changes: [
        { field: 'url', from: null, to: url },
        { field: 'events', from: null, to: input.events },
      ],
    });
    return { id, secret };
  });
}

/** An address that only whoever wrote it can reach. */
const OWN_MACHINE = /^https?:\/\/(localhost|127(\.\d{1,3}){3}|\[::1\]|0\.0\.0\.0)([:/?#]|$)/i;
const INSTEAD =
  'To your own machine, `wms listen` brings events where the service runs on it too, and a tunnel elsewhere.';

/** The canonical form of an address that may be an endpoint; 422 names the rule it breaks. */
function allowedUrl(raw: string, trustedOrigins: readonly string[]): string {
  const verdict = checkEndpointUrl(raw, trustedOrigins);
  if (verdict.ok) return verdict.href;
  const { rule } = verdict;
  const message = OWN_MACHINE.test(raw) ? `${verdict.message} ${INSTEAD}` : verdict.message;
  throw validation([{ path: 'url', rule, message }]);
}

/** The workspace's endpoints, newest first. */
export const pageOfEndpoints = async (
  ctx: InWorkspace,
  page: PageRequest,
): Promise<PageOf<EndpointView>> => pageOf(await listEndpoints(ctx, page), page, presentEndpoint);

/**
 * The endpoints that get nothing at present: the last five attempts or more have failed, the last one was blocked, or
 * whoever made it with a narrow sight sees nothing; and those whose backlog an operator holds.
 */
export const failingEndpoints = listFailing;

/** How many endpoints receive what this member may see. */
export const endpointsMadeBy = (ctx: InWorkspace, memberId: string): Promise<number> =>
  countEndpoints(ctx, memberId);

export const backgroundOfEndpoint = findBackground;

/** An endpoint without its secret. Throws 404 for a deleted one, or one of another workspace. */
export async function getEndpoint(ctx: InWorkspace, id: string): Promise<EndpointView> {
  const row = await findEndpoint(ctx, id);
  if (!row) throw notFound('webhook');
  return presentEndpoint(row);
}

/**
 * Changes the fields that the patch names. Attempts claimed from now on go to the new address, including those for
 * older events; events that happened before keep the deliveries they have. Throws 403 for another address or other events
 * where a member sees less than the endpoint may receive.
 */
export async function updateEndpoint(
  ctx: Context,
  id: string,
  patch: EndpointPatch,
  { trustedOrigins }: Pick<EndpointParts, 'trustedOrigins'>,
): Promise<EndpointView> {
  const url = patch.url === undefined ? undefined : allowedUrl(patch.url, trustedOrigins);
  return transact(ctx, async (tx) => {
    const endpoint = await tx.em.findOne(
      WebhookEndpoint,
      { id, kind: 'endpoint', deletedAt: null },
      { lockMode: LockMode.PESSIMISTIC_WRITE },
    );
    if (!endpoint) throw notFound('webhook');
    const { name, events } = endpoint;
    const changes = changesBetween({ name, url: endpoint.url, events }, { ...patch, url });
    if (changes.some(({ field }) => field !== 'name')) requireVisible(tx, endpoint);
    if (changes.length > 0) {
      endpoint.name = patch.name ?? name;
      endpoint.url = url ?? endpoint.url;
      endpoint.events = patch.events ?? events;
      if (changes.some(({ field }) => field === 'url')) {
        // Processes drop what they took for the old address, and take it again.
        endpoint.revision += 1;
        tx.recorded.add('endpoints');
      }
      await tx.em.flush();
      const target = { type: 'webhook', id, name: endpoint.name };
      await audit(tx, { action: 'webhook.updated', target, changes });
    }
    return getEndpoint(tx, id);
  });
}

const DELETE = `
  update webhook_endpoints set deleted_at = $3, drain_at = $3, revision = revision + 1
  where organization_id = $1 and id = $2`;

/**
 * Stops all attempts from the moment it is answered. The drain marks undelivered ones as failed; the record stays for
 * the 30 days of its deliveries.
 */
export async function deleteEndpoint(ctx: Context, id: string): Promise<void> {
  await transact(ctx, async (tx) => {
    const { name } = await lockEndpoint(tx, id, 'update');
    await tx.sql.rows(DELETE, [tx.organizationId, id, tx.now]);
    await wakeRetries(tx, id);
    await bringInLine(tx, id);
    await audit(tx, { action: 'webhook.deleted', target: { type: 'webhook', id, name } });
  });
}
