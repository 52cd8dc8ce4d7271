import type { Change } from '../audit/rules.ts';
import { audit, type Happening } from '../audit/service.ts';
import type { Context, InWorkspace } from '../context.ts';
import { first } from '../db/sql.ts';
import { transact } from '../db/transact.ts';
import { holdConnection } from '../oauth/connections/locking.ts';
import { bringInLine, type LockedEndpoint, lockEndpoint, wakeRetries } from './changing.ts';
import { GIVE_BACK } from './lanes/backlog/queries.ts';
import { HOLDS_SOME } from './queries.ts';
import type { EndpointView } from './schema.ts';
import { getEndpoint } from './service.ts';

const PAUSE = `
  update webhook_endpoints
  set status = 'paused', paused_at = coalesce(paused_at, $3), paused_by_operator = $4, drain_at = $3, revision = revision + 1
  where organization_id = $1 and id = $2`;

const RESUME = `
  update webhook_endpoints
  set status = 'active', paused_at = case when $4 then paused_at end, paused_by_operator = false, backlog_held_at = null,
    failures_in_row = 0, drain_at = $3, revision = revision + 1
  where organization_id = $1 and id = $2`;

/** A backlog with as many that had begun gets its time back from the drain, a smaller one within the request. */
const MANY_BEGUN = 10_000;

/** What is held though no drain is going to release it. */
const STAYS_HELD = `
  select 1 from webhook_endpoints e
  where e.organization_id = $1 and e.id = $2 and (e.backlog_held_at is not null or e.drain_at is null)
    and ${HOLDS_SOME}`;

/**
 * Stops all attempts; new events are stored (specification, Receiving rules 5). Only the endpoint's row changes here,
 * so the answer comes at once however much is waiting; the drain holds the rest. An attempt in flight is finished.
 * Pausing twice has no further effect, except that an owner who pauses what operators had paused keeps it so.
 */
export function pauseEndpoint(ctx: Context, id: string): Promise<EndpointView> {
  return transact(ctx, async (tx) => {
    const endpoint = await lockEndpoint(tx, id, 'update');
    const byOperator = tx.actor.type === 'system';
    if (endpoint.status === 'active' || (endpoint.pausedByOperator && !byOperator)) {
      await pause(tx, id, byOperator);
      await audit(tx, noted(endpoint, 'paused'));
    }
    return getEndpoint(tx, id);
  });
}

type Pausing = Pick<Context, 'sql' | 'organizationId' | 'now' | 'recorded'>;

async function pause(tx: Pausing, id: string, byOperator = false): Promise<void> {
  await tx.sql.rows(PAUSE, [tx.organizationId, id, tx.now, byOperator]);
  await wakeRetries(tx, id);
  await bringInLine(tx, id);
}

/** Whether the endpoint `e` is there and not paused, or only by operators, who will resume it. */
export const RECEIVES = "((e.status = 'active' or e.paused_by_operator) and e.deleted_at is null)";

/** The names of the active endpoints that an app created in the workspace: what is paused when it is deleted. */
export async function madeThrough(ctx: InWorkspace, appId: string): Promise<string[]> {
  const rows = await ctx.sql.rows<{ name: string }>(
    `select e.name from webhook_endpoints e
     where e.organization_id = $1 and e.app_id = $2 and ${RECEIVES} order by e.id`,
    [ctx.organizationId, appId],
  );
  return rows.map(({ name }) => name);
}

const MADE_THROUGH = `
  select e.id, e.name, e.status from webhook_endpoints e
  where e.organization_id = $1 and e.app_id = $2 and ${RECEIVES} and (e.member_id = any($3) or not exists (
    select from oauth_connections k where k.organization_id = $1 and k.client_id = $2))
  order by e.id for update`;

/**
 * Pauses what an app created for these members, who have it connected no longer, and all that it created when nobody
 * else has. In the transaction that ends the connections, after they are gone: what is being created meanwhile has
 * held one, and is found.
 *
 * @returns what the caller writes into the log, last
 */
export async function pauseMadeThrough(
  tx: Pausing,
  app: { readonly id: string; readonly name: string },
  memberIds: readonly string[],
): Promise<Happening[]> {
  const params = [tx.organizationId, app.id, memberIds];
  const endpoints = await tx.sql.rows<Paused>(MADE_THROUGH, params);
  for (const { id } of endpoints) await pause(tx, id);
  const why = [
    { field: 'reason', from: null, to: 'app disconnected' },
    { field: 'app', from: app.name, to: null },
  ];
  return endpoints.map((endpoint) => noted(endpoint, 'paused', why));
}

/**
 * Sends everything stored, oldest first, each with the attempts and hours it had left. The endpoint counts as healthy
 * again. Resuming an active endpoint does nothing, unless deliveries are still held because an operator ended its
 * drain: then the drain starts again. Deliveries that no worker got round to holding keep their schedule.
 */
export function resumeEndpoint(ctx: Context, id: string): Promise<EndpointView> {
  return transact(ctx, async (tx) => {
    await holdConnection(tx);
    const endpoint = await lockEndpoint(tx, id, 'update');
    if (endpoint.status === 'paused' || (await staysHeld(tx, id))) {
      const isMore = await giveBack(tx, endpoint);
      await tx.sql.rows(RESUME, [tx.organizationId, id, tx.now, isMore]);
      await bringInLine(tx, id);
      await audit(tx, noted(endpoint, 'active'));
    }
    return getEndpoint(tx, id);
  });
}

/**
 * Gives back the time of a pause that was never carried out because no worker ran. Returns whether the drain is still
 * to do that for the backlog.
 */
async function giveBack(tx: Context, { id, status, pausedAt }: LockedEndpoint): Promise<boolean> {
  if (!pausedAt) return false;
  // Resumed a second time: it has been given back, as far as the drain has not still to do that.
  if (status === 'active') return true;
  const params = [tx.organizationId, id, pausedAt, tx.now, MANY_BEGUN];
  const given = await first<{ isMore: boolean }>(tx.sql, GIVE_BACK, params, 'give-back');
  return given?.isMore ?? false;
}

async function staysHeld({ sql, organizationId }: Context, id: string): Promise<boolean> {
  return (await sql.rows(STAYS_HELD, [organizationId, id], 'stays-held')).length > 0;
}

type Paused = Pick<LockedEndpoint, 'id' | 'name' | 'status'>;

const noted = (
  { id, name, status }: Paused,
  to: LockedEndpoint['status'],
  why: readonly Change[] = [],
): Happening => ({
  action: to === 'paused' ? 'webhook.paused' : 'webhook.resumed',
  target: { type: 'webhook', id, name },
  changes: [...(status === to ? [] : [{ field: 'status', from: status, to }]), ...why],
});
