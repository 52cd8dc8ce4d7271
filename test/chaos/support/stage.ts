import pg from 'pg';
import { createCampaign } from '../../../src/campaigns/service.ts';
import type { Context } from '../../../src/context.ts';
import { createKeyring } from '../../../src/crypto/keyring.ts';
import { openDatabase } from '../../../src/db/database.ts';
import type { WebhookEventType } from '../../../src/outbox/events.ts';
import { createEndpoint } from '../../../src/webhooks/service.ts';
import { openTestDatabase } from '../../support/database.ts';
import { anApiKey } from '../../support/factories/api-keys.ts';
import { aNumber } from '../../support/factories/numbers.ts';
import { aWorkspace } from '../../support/factories/workspaces.ts';
import { openProcesses, type Processes, type Service } from '../../support/processes/processes.ts';
import { somePeople } from './people.ts';
import { openReceiver, type Receiver } from './receiver.ts';

interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** One workspace with a number and an endpoint, a receiver, and the processes a test starts and kills. */
export interface ChaosStage {
  readonly processes: Processes;
  readonly receiver: Receiver;
  readonly organizationId: string;
  /** Of the workspace, for what a test needs to be there beforehand. */
  readonly ctx: Context;
  readonly temporalAddress: string;
  /** Sees the rows of every workspace: for assertions only. */
  rows<T extends pg.QueryResultRow>(text: string, params?: readonly unknown[]): Promise<T[]>;
  /** With an API key of the workspace. Rejects when the process dies before it answers. */
  call(service: Service, method: string, path: string, options?: CallOptions): Promise<Reply>;
  /** So many new contacts. */
  people(count: number): Promise<string[]>;
  /** A draft to so many new people, paced by nothing but the simulator. */
  aCampaign(count: number): Promise<string>;
}

export interface OpenChaosStage extends ChaosStage {
  close(): Promise<void>;
}

interface CallOptions {
  readonly body?: unknown;
  readonly idempotencyKey?: string;
  /** Another API key of the workspace than its first. */
  readonly key?: string;
}

export interface ChaosStageOptions {
  readonly temporalAddress?: string;
  /** Another cluster's database than the run's: owner and superuser addresses. */
  readonly database?: { readonly url: string; readonly superuserUrl: string };
  readonly events?: WebhookEventType[];
  /** Of receivers beside the stage's own one. */
  readonly trustedOrigins?: readonly string[];
  readonly environment?: Record<string, string>;
}

/** Opens it, plays, and closes it, whatever came of the play. */
export async function onChaosStage(
  options: ChaosStageOptions,
  play: (stage: ChaosStage) => Promise<void>,
): Promise<void> {
  const stage = await openChaosStage(options);
  try {
    await play(stage);
  } finally {
    await stage.close();
  }
}

export async function openChaosStage(options: ChaosStageOptions): Promise<OpenChaosStage> {
  const files = options.database ? null : await openTestDatabase();
  const { url, superuserUrl } = options.database ?? addressesOf(files?.url ?? '');
  const temporalAddress = options.temporalAddress ?? (await sharedTemporal());
  const receiver = await openReceiver();
  const processes = await openProcesses({
    databaseUrl: url,
    temporalAddress,
    trustedOrigins: [receiver.origin, ...(options.trustedOrigins ?? [])],
    environment: { BACKOFF_SCALE: '0.01', ...options.environment },
  });
  const database = await openDatabase({ url, poolSize: 4 });
  const superuser = new pg.Pool({ connectionString: superuserUrl, max: 2 });
  // A cluster that is killed breaks idle connections; the next query opens another one.
  superuser.on('error', () => {});
  const { ctx } = await aWorkspace(database);
  const { key, numberId } = await furnish(ctx, processes, receiver, options.events);
  let met = 0;
  const people = (count: number): Promise<string[]> => {
    met += count;
    return somePeople(ctx, met - count, count);
  };
  return {
    processes,
    receiver,
    temporalAddress,
    organizationId: ctx.organizationId,
    ctx,
    rows: async <T extends pg.QueryResultRow>(text: string, params: readonly unknown[] = []) =>
      (await superuser.query<T>(text, [...params])).rows,
    call: (service, method, path, callOptions) => call(service, key, method, path, callOptions),
    people,
    aCampaign: async (count) => draftTo(ctx, numberId, await people(count)),
    close: async () => {
      await processes.close();
      await receiver.close();
      await database.close();
      await superuser.end();
      await files?.close();
    },
  };
}

/** The run's own server, which only jest's runs have. */
async function sharedTemporal(): Promise<string> {
  const { devServer } = await import('../../support/env.ts');
  return devServer().address;
}

function addressesOf(ownerUrl: string): { url: string; superuserUrl: string } {
  const superuser = new URL(process.env['TEST_PG_URL'] ?? '');
  superuser.pathname = new URL(ownerUrl).pathname;
  return { url: ownerUrl, superuserUrl: superuser.href };
}

async function furnish(
  ctx: Context,
  processes: Processes,
  receiver: Receiver,
  events: WebhookEventType[] = ['message.sent'],
): Promise<{ key: string; numberId: string }> {
  const { key } = await anApiKey(ctx);
  const number = await aNumber(ctx);
  const { secret } = await createEndpoint(
    ctx,
    { name: 'Loja', url: `${receiver.origin}/hooks`, events },
    { keyring: createKeyring(processes.encryptionKeys), trustedOrigins: [receiver.origin] },
  );
  receiver.trust(secret);
  return { key, numberId: number.id };
}

async function draftTo(ctx: Context, numberId: string, contactIds: string[]): Promise<string> {
  const { id } = await createCampaign(ctx, {
    name: 'Novidades',
    number_id: numberId,
    target: 'contacts',
    segment_id: null,
    contact_ids: contactIds,
    group_ids: [],
    text: 'Oi {{first_name}}, a nova coleção chegou!',
    when: null,
    pace: null,
  });
  return id;
}

async function call(
  service: Service,
  first: string,
  method: string,
  path: string,
  { body, idempotencyKey, key = first }: CallOptions = {},
): Promise<Reply> {
  const response = await fetch(`${service.baseUrl}/api/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(idempotencyKey ? { 'idempotency-key': idempotencyKey } : {}),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}
