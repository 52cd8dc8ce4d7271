import type { Context } from '../../../src/context.ts';
import { asSystem, inWorkspace } from '../../../src/db/database.ts';
import { type FannedOut, fanOut } from '../../../src/webhooks/lanes/first-attempts/intake.ts';
import { webhookRoutes } from '../../../src/webhooks/routes.ts';
import { anApiKey } from '../../support/factories/api-keys.ts';
import { testKeyring } from '../../support/factories/numbers.ts';
import { sentEvents } from '../../support/factories/webhooks.ts';
import { aWorkspace } from '../../support/factories/workspaces.ts';
import { type OpenDoor, openDoor, type Reply } from '../../support/http.ts';

/** The routes of webhooks and nothing else, over a database of their own. */
export const openWebhookDoor = (
  overrides: Partial<Parameters<typeof openDoor>[0]> = {},
): Promise<OpenDoor> =>
  openDoor({
    routes: webhookRoutes({ keyring: testKeyring, trustedOrigins: [] }),
    keyring: testKeyring,
    ...overrides,
  });

export interface EndpointScene {
  readonly ctx: Context;
  readonly workspaceId: string;
  readonly key: string;
  /** The endpoint, which gets `message.sent` and `contact.created`. */
  readonly id: string;
  readonly secret: string;
  /** A call below the endpoint's own address. */
  readonly call: (method: string, path?: string, body?: unknown) => Promise<Reply>;
  /** Statements of this workspace; `$1` is the endpoint. */
  readonly rows: <R>(text: string, ...params: unknown[]) => Promise<R[]>;
  /** Deliveries of new events, as the relay makes them, and then as `set` says; their ids, oldest first. */
  readonly deliveries: (count: number, set?: string) => Promise<string[]>;
  /** What the endpoint's changes left for the relay, and the log of what was done. */
  readonly commands: () => Promise<string[]>;
  readonly log: () => Promise<string[]>;
}

/** A workspace with one endpoint and a key that may do everything. */
export async function anEndpointScene(door: OpenDoor): Promise<EndpointScene> {
  const { ctx, workspaceId } = await aWorkspace(door.database);
  const { key } = await anApiKey(ctx);
  const wish = {
    name: 'Pedidos',
    url: 'https://hooks.example.com/in',
    events: ['message.sent', 'contact.created'],
  };
  const created = await door.api.call('POST', '/api/v1/webhooks', { key, body: wish });
  const { id, secret } = created.body;
  const rows = <R>(text: string, ...params: unknown[]): Promise<R[]> =>
    inWorkspace(door.database, workspaceId, (sql) => sql.rows<R>(text, [id, ...params]));
  const texts = async (text: string): Promise<string[]> =>
    (await rows<{ said: string }>(text)).map(({ said }) => said);
  return {
    ctx,
    workspaceId,
    key,
    id,
    secret,
    rows,
    call: (method, path = '', body) =>
      door.api.call(method, `/api/v1/webhooks/${id}${path}`, {
        key,
        ...(body === undefined ? {} : { body }),
      }),
    deliveries: async (count, set) => {
      const events = await sentEvents(door.database, workspaceId, count);
      const taker = { token: 'tests', full: [id], slow: [] };
      const some = (): Promise<FannedOut> =>
        asSystem(door.database, (sql) => fanOut(sql, taker, count, events));
      while ((await some()).facts > 0);
      if (set)
        await rows(
          `update webhook_deliveries set ${set} where endpoint_id = $1 and event_id = any($2)`,
          events,
        );
      const made = await rows<{ id: string }>(
        'select id from webhook_deliveries where endpoint_id = $1 and event_id = any($2) order by id',
        events,
      );
      return made.map((row) => row.id);
    },
    commands: () =>
      texts("select type as said from facts where not is_event and $1 <> '' order by id"),
    log: () =>
      texts(
        "select action as said from audit_entries where target ->> 'type' in ('webhook', 'delivery') and action <> 'webhook.created' and $1 <> '' order by seq",
      ),
  };
}
