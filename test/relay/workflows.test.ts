import net from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { inWorkspace, sqlOver } from '../../src/db/database.ts';
import { newId } from '../../src/ids.ts';
import { createLog } from '../../src/log.ts';
import { commandFact, insertFacts } from '../../src/outbox/record.ts';
import { relayCommands } from '../../src/relay/commands.ts';
import { startDelivery } from '../../src/relay/reactions.ts';
import { createTemporalCalls, type TemporalCalls } from '../../src/relay/temporal-calls.ts';
import { connectTemporal } from '../../src/temporal/connection.ts';
import { registerSearchAttributes } from '../../src/temporal/search-attributes.ts';
import { devServer, PATIENT } from '../support/env.ts';
import { sentEvents } from '../support/factories/webhooks.ts';
import { relayScene } from '../support/relay-scene.ts';
import { eventually } from '../support/waiting.ts';
import { runWebhookWorker } from '../support/webhook-worker.ts';

const { scene, start, anEndpointOf, facts } = relayScene();
const { address: temporalAddress } = devServer();
const backoff = { scale: 0.02, jitter: () => 0 };
const baseUrl = 'https://messaging.example.com';

/** Makes the retries of one task queue until it is stopped. */
const runWorker = (taskQueue: string): Promise<() => Promise<void>> =>
  runWebhookWorker({
    temporalAddress,
    taskQueue,
    database: scene.database,
    trustedOrigins: [scene.receiver.origin],
    backoff,
  });

const startRelay = async () => {
  const relay = await start({ temporalAddress, parts: { backoff, baseUrl } });
  await registerSearchAttributes(relay.client.connection as never, 'default');
  return relay;
};

async function isRunning(client: Client, workflowId: string): Promise<boolean> {
  try {
    const { status } = await client.workflow.getHandle(workflowId).describe();
    return status.name === 'RUNNING';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}

describe('a first attempt that failed', () => {
  it('is carried on by a workflow that an operator finds by words and ids', async () => {
    const { workspaceId, endpointId, all, deliveries } = await anEndpointOf();
    const { client, taskQueue } = await startRelay();
    const stopWorker = await runWorker(taskQueue);
    scene.receiver.answer = () => ({ status: scene.receiver.received.length < 3 ? 500 : 200 });

    const [eventId = ''] = await sentEvents(scene.database, workspaceId);
    await eventually(() => all('succeeded', 1));

    expect(await deliveries()).toMatchObject([{ attempts: 3, error: null }]);
    const description = await client.workflow
      .getHandle(`delivery:${endpointId}:${eventId}`)
      .describe();
    expect(description.type).toBe('deliverWebhook');
    expect(await description.staticSummary()).toBe('Tries a webhook again until it is delivered');
    const [delivery] = await deliveries();
    expect(await description.staticDetails()).toContain(
      `(${baseUrl}/console/${workspaceId}/webhooks/${endpointId}/deliveries/${delivery?.id})`,
    );
    const attributes = JSON.stringify(description.typedSearchAttributes);
    expect(attributes).toContain(workspaceId);
    expect(attributes).toContain(delivery?.id);
    const { events } = await client.workflow
      .getHandle(`delivery:${endpointId}:${eventId}`)
      .fetchHistory();
    const history = Buffer.from(JSON.stringify(events)).toString();
    for (const secret of ['Oi, pessoa', '+5511987654321', 'whsec_', scene.receiver.origin])
      expect(history).not.toContain(secret);
    await stopWorker();
  });
});

describe('a command', () => {
  it('waits for the earlier ones about its workflow: who ends as soon as it waits is not begun again to wait', async () => {
    // What an earlier test left to be told would be taken with its commands.
    await sqlOver(scene.database.system).rows('delete from facts');
    const { workspaceId } = await anEndpointOf();
    const runId = newId('run');
    const dueAt = new Date(Date.now() + 86_400_000).toISOString();
    const commands = [
      commandFact('run.waiting', { runId, dueAt, isNew: true }),
      commandFact('run.ended', { runId }),
    ];
    await inWorkspace(scene.database, workspaceId, (sql) =>
      insertFacts(sql, workspaceId, commands),
    );
    const temporal = connectTemporal({ address: temporalAddress, namespace: 'default' });
    await registerSearchAttributes(temporal.connection, 'default');
    const calls = createTemporalCalls(temporal.client, 'nobody-works-here', PATIENT);
    const slowToStart: TemporalCalls = {
      perform: async (reaction) => {
        if (reaction.kind === 'start') await new Promise((resolve) => setTimeout(resolve, 200));
        await calls.perform(reaction);
      },
    };

    const log = createLog({ level: 'silent', format: 'json' });
    const parts = { database: scene.database, token: newId('fct'), calls: slowToStart, log };
    expect(await relayCommands(parts)).toMatchObject({ taken: 2, failed: 0 });

    const { events } = await temporal.client.workflow.getHandle(`run:${runId}`).fetchHistory();
    const begun = events?.[0]?.workflowExecutionStartedEventAttributes?.firstWorkflowTaskBackoff;
    expect(Number(begun?.seconds)).toBeGreaterThan(86_000);
    const signals = events?.map(
      (event) => event.workflowExecutionSignaledEventAttributes?.signalName,
    );
    expect(signals).toContain('wake');
    await temporal.close();
  });

  it('relayed again and again starts one workflow', async () => {
    const { workspaceId, endpointId, all } = await anEndpointOf();
    const { client, taskQueue } = await startRelay();
    scene.receiver.answer = () => ({ status: 500 });
    const [eventId = ''] = await sentEvents(scene.database, workspaceId);
    await eventually(() => all('retrying', 1));
    const workflowId = `delivery:${endpointId}:${eventId}`;
    await eventually(() => isRunning(client, workflowId));
    const { runId } = await client.workflow.getHandle(workflowId).describe();

    const [row] = await sqlOver(scene.database.system).rows<{ id: string }>(
      'select id from webhook_deliveries where event_id = $1',
      [eventId],
    );
    const again = () =>
      commandFact('delivery.retrying', { deliveryId: row?.id ?? '', endpointId, eventId });
    await inWorkspace(scene.database, workspaceId, (sql) =>
      insertFacts(sql, workspaceId, [again(), again(), again()]),
    );
    await eventually(async () => (await facts(workspaceId)).length === 0);

    expect((await client.workflow.getHandle(workflowId).describe()).runId).toBe(runId);
    expect(taskQueue).toMatch(/^test-/);
    await client.workflow.getHandle(workflowId).terminate();
  });

  it('that wakes nobody is done', async () => {
    const { workspaceId } = await anEndpointOf();
    await startRelay();
    const wake = commandFact('campaign.changed', { campaignId: 'cmp_nobody' });

    await inWorkspace(scene.database, workspaceId, (sql) => insertFacts(sql, workspaceId, [wake]));

    await eventually(async () => (await facts(workspaceId)).length === 0);
  });
});

describe('the reconciler', () => {
  it('starts a retry again whose workflow was terminated', async () => {
    const { workspaceId, endpointId, all } = await anEndpointOf();
    const { client, taskQueue } = await startRelay();
    scene.receiver.answer = () => ({ status: 500 });
    const [eventId = ''] = await sentEvents(scene.database, workspaceId);
    await eventually(() => all('retrying', 1));
    const workflowId = `delivery:${endpointId}:${eventId}`;
    await eventually(() => isRunning(client, workflowId));
    await client.workflow.getHandle(workflowId).terminate();
    await sqlOver(scene.database.system).rows(
      "update webhook_deliveries set next_attempt_at = now() - interval '1 minute' where event_id = $1",
      [eventId],
    );

    const stopWorker = await runWorker(taskQueue);
    scene.receiver.answer = () => ({ status: 200 });

    await eventually(() => all('succeeded', 1));
    await stopWorker();
  });
});

describe('a call to Temporal', () => {
  it('gives up after two seconds on a server that accepts the connection and never answers', async () => {
    const sockets: net.Socket[] = [];
    const silent = net.createServer((socket) => sockets.push(socket.on('error', () => {})));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as net.AddressInfo;
    const temporal = connectTemporal({ address: `127.0.0.1:${port}`, namespace: 'default' });
    const calls = createTemporalCalls(temporal.client, 'nowhere');
    const ids = { deliveryId: 'dlv_1', endpointId: 'whk_1', eventId: 'evt_1' };
    const begun = Date.now();

    await expect(
      calls.perform({ kind: 'start', ...startDelivery('org_1', ids) }),
    ).rejects.toThrow();

    expect(Date.now() - begun).toBeLessThan(30_000);
    await temporal.close();
    silent.close();
    for (const socket of sockets) socket.destroy();
  });

  it('reaches a server that is back at once, however long it was away', async () => {
    let connections = 0;
    const away = net.createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => away.listen(0, '127.0.0.1', resolve));
    const { port } = away.address() as net.AddressInfo;
    const temporal = connectTemporal({ address: `127.0.0.1:${port}`, namespace: 'default' });

    // With pauses that grow on and on the eighth would come 43 s after the first.
    const triedEightTimes = async () => (await temporal.problem()) !== null && connections >= 8;
    await eventually(triedEightTimes, { timeoutMs: 30_000, instead: () => `${connections} times` });

    await temporal.close();
    away.close();
  });
});
