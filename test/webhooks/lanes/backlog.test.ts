import { afterEach, describe, expect, it } from '@jest/globals';
import { sqlOver } from '../../../src/db/database.ts';
import { registerSearchAttributes } from '../../../src/temporal/search-attributes.ts';
import { resendFailing } from '../../../src/webhooks/deliveries/resending.ts';
import { pauseEndpoint, resumeEndpoint } from '../../../src/webhooks/pausing.ts';
import { deleteEndpoint } from '../../../src/webhooks/service.ts';
import { devServer } from '../../support/env.ts';
import { sentEvents } from '../../support/factories/webhooks.ts';
import { relayScene } from '../../support/relay-scene.ts';
import { eventually } from '../../support/waiting.ts';
import { runWebhookWorker } from '../../support/webhook-worker.ts';

const { scene, start, anEndpointOf } = relayScene();
const { address: temporalAddress } = devServer();
const backoff = { scale: 0.01, jitter: () => 0 };
const stops: (() => Promise<void>)[] = [];

afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
});

/** An endpoint with everything that serves it: a relay, and a worker for its workflows. */
async function served() {
  const target = await anEndpointOf();
  const { client, taskQueue, waker } = await start({
    temporalAddress,
    parts: { backoff },
    // What is held back in a test is not given up, however long that takes.
    deadlineMs: 60_000,
  });
  await registerSearchAttributes(client.connection as never, 'default');
  const { database, receiver } = scene;
  const trustedOrigins = [receiver.origin];
  const wishes = { temporalAddress, taskQueue, database, trustedOrigins, backoff };
  stops.push(await runWebhookWorker({ ...wishes, wake: waker.wake }));
  const context = () => ({ ...target.ctx, wake: waker.wake, now: new Date() });
  const count = async (condition: string): Promise<number> => {
    const [row] = await sqlOver(database.system).rows<{ n: number }>(
      `select count(*) as n from webhook_deliveries where endpoint_id = $1 and (${condition})`,
      [target.endpointId],
    );
    return row?.n ?? 0;
  };
  const drain = client.workflow.getHandle(`endpoint:${target.endpointId}`);
  const drained = (): Promise<unknown> => drain.result();
  return { ...target, context, count, drain, drained, client };
}

const eventIds = (): (string | undefined)[] =>
  scene.receiver.received.map(({ headers }) => headers['webhook-id']);

describe('a paused endpoint', () => {
  it('gets nothing, and after resuming everything once, the oldest first', async () => {
    const { context, endpointId, workspaceId, count, drained } = await served();
    await pauseEndpoint(context(), endpointId);
    const sent = await sentEvents(scene.database, workspaceId, 1_200);
    await eventually(async () => (await count("status = 'held'")) === 1_200);
    expect(scene.receiver.received).toEqual([]);

    await resumeEndpoint(context(), endpointId);
    await eventually(async () => (await count("status = 'succeeded'")) === 1_200);

    expect(eventIds().toSorted()).toEqual(sent.toSorted());
    // Eight at a time, released by hundreds: each comes near its own place.
    const places = new Map(eventIds().map((id, place) => [id, place]));
    for (const [place, id] of sent.entries())
      expect(Math.abs((places.get(id) ?? 0) - place)).toBeLessThan(600);
    expect(await drained()).toBe('Nothing waits any more.');
    expect(await count('attempts <> 1')).toBe(0);
  });

  it('holds what was waiting and what was being retried, with the attempts that were left', async () => {
    const { context, endpointId, workspaceId, count, drained } = await served();
    const paused = Promise.withResolvers<void>();
    // However fast it goes, some are left: once 24 were tried, the others are answered when the endpoint is paused.
    scene.receiver.answer = async () => {
      if (new Set(eventIds()).size > 24) await paused.promise;
      return { status: 500 };
    };
    await sentEvents(scene.database, workspaceId, 40);
    await eventually(async () => (await count('attempts > 0')) >= 20);

    await pauseEndpoint(context(), endpointId);
    paused.resolve();
    const requests = scene.receiver.received.length;
    await eventually(async () => (await count("status = 'held' and in_backlog")) === 40);
    expect(await drained()).toMatch(/paused/);
    expect(await count('attempts = 0')).toBeGreaterThan(0);
    expect(scene.receiver.received.length - requests).toBeLessThanOrEqual(8);
    const attempts = await count('attempts > 0');

    scene.receiver.answer = () => ({ status: 200 });
    await resumeEndpoint(context(), endpointId);
    await eventually(async () => (await count("status = 'succeeded'")) === 40);
    expect(await count('attempts > 1')).toBe(attempts);
  });

  it('of which the drain was cancelled by an operator keeps the rest held until it is resumed again', async () => {
    const { context, endpointId, workspaceId, count, drain } = await served();
    await pauseEndpoint(context(), endpointId);
    await sentEvents(scene.database, workspaceId, 1_500);
    await eventually(async () => (await count("status = 'held'")) === 1_500);
    // No more is released than the lane takes, until the drain has ended.
    const cancelled = Promise.withResolvers<void>();
    scene.receiver.answer = async () => {
      await cancelled.promise;
      return { status: 200 };
    };

    await resumeEndpoint(context(), endpointId);
    await scene.receiver.waitFor(1);
    await drain.cancel();
    await expect(drain.result()).rejects.toThrow('cancelled');
    cancelled.resolve();
    await eventually(async () => (await count("status = 'succeeded' or in_backlog")) === 1_500);
    const held = await count("status = 'held'");
    expect(held).toBeGreaterThan(500);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(await count("status = 'held'")).toBe(held);

    await resumeEndpoint(context(), endpointId);
    await eventually(async () => (await count("status = 'succeeded'")) === 1_500);
    expect(new Set(eventIds()).size).toBe(1_500);
    expect(eventIds()).toHaveLength(1_500);
  });
});

describe('an endpoint that is down', () => {
  it('gets everything once it answers again, and needs few workflows until then', async () => {
    const { endpointId, workspaceId, count, client } = await served();
    let down = true;
    scene.receiver.answer = () => ({ status: down ? 503 : 200 });
    await sentEvents(scene.database, workspaceId, 200);
    await eventually(async () => (await count('attempts > 1')) >= 10);

    const query = `ExecutionStatus = 'Running' and WmsWorkspaceId = '${workspaceId}'`;
    let types: string[] = [];
    // What has begun is listed a moment later.
    await eventually(async () => {
      types = [];
      for await (const { type } of client.workflow.list({ query })) types.push(type);
      return types.includes('drainEndpoint');
    });
    expect(types.filter((type) => type === 'drainEndpoint')).toHaveLength(1);
    expect(types.length).toBeLessThan(30);

    down = false;
    await eventually(async () => (await count("status = 'succeeded'")) === 200);
    const failures = async () => {
      const [row] = await sqlOver(scene.database.system).rows<{ n: number }>(
        'select failures_in_row as n from webhook_endpoints where id = $1',
        [endpointId],
      );
      return row?.n;
    };
    // Counted right after what came of the attempts was written.
    await eventually(async () => (await failures()) === 0);
  });
});

describe('sending again all that fails', () => {
  it('reaches those beyond the first two hundred by the backlog, each once', async () => {
    const { context, endpointId, workspaceId, count } = await served();
    await sentEvents(scene.database, workspaceId, 1_300);
    await eventually(async () => (await count("status = 'succeeded'")) === 1_300);
    await sqlOver(scene.database.system).rows(
      "update webhook_deliveries set status = 'failed', attempts = 12, round_attempts = 12 where endpoint_id = $1",
      [endpointId],
    );
    scene.receiver.received.length = 0;

    expect(await resendFailing(context(), endpointId)).toEqual({ resent: 1_300 });
    await eventually(async () => (await count("status = 'succeeded'")) === 1_300);

    expect(new Set(eventIds()).size).toBe(1_300);
    expect(eventIds()).toHaveLength(1_300);
    expect(await count('attempts <> 13 or round_attempts <> 1 or round <> 2')).toBe(0);
  });
});

describe('a deleted endpoint', () => {
  it('ends whatever waits for it, in whichever lane', async () => {
    const { context, endpointId, workspaceId, count, drained } = await served();
    scene.receiver.answer = () => ({ status: 500 });
    await sentEvents(scene.database, workspaceId, 60);
    await eventually(async () => (await count('attempts > 0')) >= 20);

    await deleteEndpoint(context(), endpointId);
    const requests = scene.receiver.received.length;
    await eventually(async () => (await count("status = 'failed'")) === 60);

    expect(await drained()).toMatch(/deleted/);
    expect(await count('finished_at is null or next_attempt_at is not null')).toBe(0);
    expect(scene.receiver.received.length - requests).toBeLessThanOrEqual(8);
  });
});
