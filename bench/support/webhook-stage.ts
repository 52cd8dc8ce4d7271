import { Client, Connection } from '@temporalio/client';
import pg from 'pg';
import type { Context } from '../../src/context.ts';
import { createKeyring } from '../../src/crypto/keyring.ts';
import { type Database, inWorkspace, openDatabase } from '../../src/db/database.ts';
import { type Fact, insertFacts } from '../../src/outbox/record.ts';
import { createWaker } from '../../src/relay/processes/waker.ts';
import { createEndpoint } from '../../src/webhooks/service.ts';
import type { Child } from '../../test/support/processes/child.ts';
import { openProcesses, type Processes } from '../../test/support/processes/processes.ts';
import { openCluster } from './cluster.ts';
import type { Watched } from './cpu.ts';
import { startReceiver } from './programs.ts';
import { aWorkspace } from './workspaces.ts';

/** An endpoint in a workspace of its own, which subscribes to `message.sent`. */
export interface Target {
  readonly ctx: Context;
  readonly endpointId: string;
}

export async function aTargetAt(
  database: Database,
  url: string,
  parts: Parameters<typeof createEndpoint>[2],
): Promise<Target> {
  const ctx = await aWorkspace(database);
  const endpoint = { name: 'Endpoint', url, events: ['message.sent' as const] };
  return { ctx, endpointId: (await createEndpoint(ctx, endpoint, parts)).id };
}

/** What delivers webhooks, and what a measurement needs of it. No process of the service runs yet. */
export interface WebhookStage {
  readonly processes: Processes;
  readonly watched: readonly Watched[];
  /** The superuser's address of the database: for bare programs, which have no tenants. */
  readonly bareUrl: string;
  aTarget(url: string): Promise<Target>;
  /** One transaction; the relays are told after it. */
  commit(ctx: Context, facts: readonly Fact[]): Promise<void>;
  /** Sees every workspace: for counting what became of things. */
  rows<T extends pg.QueryResultRow>(text: string, params?: readonly unknown[]): Promise<T[]>;
  /** Open workflows that match, as Temporal's own list has them. */
  openWorkflows(query?: string): Promise<number>;
  close(): Promise<void>;
}

export interface StageOptions {
  readonly trustedOrigins: readonly string[];
  readonly receiver: Child;
  readonly environment?: Record<string, string>;
}

export async function openWebhookStage(options: StageOptions): Promise<WebhookStage> {
  const { trustedOrigins, receiver, environment = {} } = options;
  await using closing = new AsyncDisposableStack();
  const cluster = await openCluster({ temporal: true });
  closing.defer(() => cluster.close());
  const { databaseUrl, postgresPid, bareUrl } = cluster;
  const temporalAddress = cluster.temporal?.address ?? '';
  const processes = await openProcesses({
    databaseUrl,
    temporalAddress,
    trustedOrigins,
    environment,
  });
  closing.defer(() => processes.close());
  const database = await openDatabase({ url: databaseUrl, poolSize: 4 });
  closing.defer(() => database.close());
  const waker = createWaker({ url: databaseUrl });
  closing.defer(() => waker.close());
  const superuser = new pg.Pool({ connectionString: bareUrl, max: 2, application_name: 'bench' });
  closing.defer(() => superuser.end());
  const connection = await Connection.connect({ address: temporalAddress });
  closing.defer(() => connection.close());
  const client = new Client({ connection });
  const parts = { keyring: createKeyring(processes.encryptionKeys), trustedOrigins };

  const open = closing.move();
  return {
    processes,
    bareUrl,
    watched: [
      { name: 'postgres', pid: postgresPid, children: true },
      { name: 'temporal', pid: cluster.temporal?.pid ?? 0 },
      { name: 'receiver', pid: receiver.pid },
    ],
    aTarget: (url) => aTargetAt(database, url, parts),
    commit: async ({ organizationId }, facts) => {
      await inWorkspace(database, organizationId, (sql) => insertFacts(sql, organizationId, facts));
      await waker.wake('events');
    },
    rows: async <T extends pg.QueryResultRow>(text: string, params: readonly unknown[] = []) =>
      (await superuser.query<T>(text, [...params])).rows,
    openWorkflows: async (query = '') => {
      const open = "ExecutionStatus = 'Running'";
      return (await client.workflow.count(query ? `${open} and ${query}` : open)).count;
    },
    close: () => open.disposeAsync(),
  };
}

/** A receiver, and endpoints at it, without a worker yet. All of it ends with `closing`. */
export async function openReceiverStage(closing: AsyncDisposableStack) {
  const receiver = await startReceiver();
  closing.defer(() => receiver.kill());
  const stage = await openWebhookStage({ trustedOrigins: [receiver.origin], receiver });
  closing.defer(() => stage.close());
  const targets: Target[] = [];
  const grow = async (endpoints: number): Promise<void> => {
    while (targets.length < endpoints)
      targets.push(await stage.aTarget(`${receiver.origin}/hooks/${targets.length}`));
  };
  return { receiver, stage, targets, grow };
}
