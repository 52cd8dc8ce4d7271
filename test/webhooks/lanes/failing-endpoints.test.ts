import { describe, expect, it } from '@jest/globals';
import { sqlOver } from '../../../src/db/database.ts';
import { capacitiesOf } from '../../../src/webhooks/lanes/first-attempts/capacity.ts';
import { WAITING_IN_LANE } from '../../../src/webhooks/rules.ts';
import { deleteEndpoint } from '../../../src/webhooks/service.ts';
import { sentEvents } from '../../support/factories/webhooks.ts';
import { eventually } from '../../support/waiting.ts';
import { aTarget, openLaneScene } from '../support/lane-scene.ts';

// No retry comes due within a test: those that wait in the lane would be made there after half a minute.
const scene = openLaneScene({ parts: { backoff: { scale: 100, jitter: () => 0 } } });

const commandsOf = (workspaceId: string, type: string) =>
  sqlOver(scene.database.system).rows<{ payload: string }>(
    'select payload from facts where type = $2 and organization_id = $1',
    [workspaceId, type],
  );

const setFailures = (id: string, failures: number) =>
  sqlOver(scene.database.system).rows(
    'update webhook_endpoints set failures_in_row = $2 where id = $1',
    [id, failures],
  );

async function failuresOf(id: string): Promise<number | undefined> {
  const [row] = await sqlOver(scene.database.system).rows<{ n: number }>(
    'select failures_in_row as n from webhook_endpoints where id = $1',
    [id],
  );
  return row?.n;
}

describe('an endpoint that keeps failing', () => {
  it('leaves the lane: what is new waits in its backlog, and one command has that drained', async () => {
    const { id, workspaceId, count } = await aTarget(scene, '/failing');
    scene.receiver.answer = () => ({ status: 500 });

    await sentEvents(scene.database, workspaceId, 300);
    await eventually(async () => (await count("(in_backlog or status = 'retrying')")) === 300);

    const attempted = await count('attempts > 0');
    expect(attempted).toBeLessThan(60);
    expect(scene.receiver.received).toHaveLength(attempted);
    expect(await count("in_backlog and status = 'pending'")).toBe(300 - attempted);
    const retries = await commandsOf(workspaceId, 'delivery.retrying');
    expect(retries).toHaveLength(await count('owned_by_workflow'));
    // Recorded right after what went to the backlog.
    const drainsOf = () => commandsOf(workspaceId, 'endpoint.changed');
    await eventually(async () => (await drainsOf()).length > 0);
    const drains = await drainsOf();
    expect(drains.map(({ payload }) => JSON.parse(payload))).toEqual([{ endpointId: id }]);
  });

  it('gets few that are new as probes, whose retries wait in the lane for their time', async () => {
    const { ctx, id, workspaceId, count } = await aTarget(scene, '/probed');
    await setFailures(id, 20);
    scene.receiver.answer = () => ({ status: 500 });

    await sentEvents(scene.database, workspaceId, 200);
    await eventually(async () => (await count("status = 'retrying'")) >= 20);

    const attempted = await count('attempts > 0');
    expect(scene.receiver.received).toHaveLength(attempted);
    expect(attempted).toBeLessThanOrEqual(40);
    expect(await count("in_backlog and status = 'pending'")).toBeGreaterThanOrEqual(160);
    // Without a workflow, in nobody's hand, at the moment that the schedule says.
    const waits = `status = 'retrying' and not owned_by_workflow and not in_backlog and lease_token is null`;
    expect(
      await count(`${waits} and lease_until = next_attempt_at and next_attempt_at > now()`),
    ).toBe(attempted);
    await deleteEndpoint(ctx, id);
  });

  it('has its backlog drained, also when all that is new went there without being taken', async () => {
    const { id, workspaceId, count } = await aTarget(scene, '/resting');
    await setFailures(id, 20);
    const open = Promise.withResolvers<void>();
    scene.receiver.answer = async () => {
      await open.promise;
      return { status: 500 };
    };
    // The probes of these five seconds, which are not over before the next ones come.
    await sentEvents(scene.database, workspaceId, 20);
    await scene.receiver.waitFor(8);

    await eventually(async () => {
      await sentEvents(scene.database, workspaceId);
      return (await count('in_backlog')) > 0;
    });

    // Without it, it would be found within half a minute.
    const drains = () => commandsOf(workspaceId, 'endpoint.changed');
    await eventually(async () => (await drains()).length > 0, { timeoutMs: 15_000 });
    open.resolve();
  });

  it('is well again with the first probe that is delivered', async () => {
    const { id, workspaceId, count } = await aTarget(scene, '/recovers');
    await setFailures(id, 7);

    await sentEvents(scene.database, workspaceId);
    await scene.receiver.waitFor(1);

    await eventually(async () => (await count("status = 'succeeded'")) === 1);
    await eventually(async () => (await failuresOf(id)) === 0);
  });
});

describe('an endpoint that fails now and then', () => {
  it('counts what fails elsewhere, and from zero again with every success of the lane', async () => {
    const { id, workspaceId } = await aTarget(scene, '/retries-fail');
    // The lane lives on while it has one in flight.
    const open = Promise.withResolvers<void>();
    let n = 0;
    scene.receiver.answer = async () => {
      n += 1;
      if (n === 1) await open.promise;
      return { status: 200 };
    };
    await sentEvents(scene.database, workspaceId);
    await scene.receiver.waitFor(1);

    await setFailures(id, 4);
    await sentEvents(scene.database, workspaceId);
    await eventually(async () => (await failuresOf(id)) === 0);
    open.resolve();
  });

  it('never has more than 200 workflows; further retries wait in its backlog for their time', async () => {
    const { workspaceId, count } = await aTarget(scene, '/sometimes');
    let n = 0;
    // Never as many in a row as make it a failing one, whatever the order of answers.
    scene.receiver.answer = () => ({ status: n++ % 3 === 0 ? 500 : 200 });

    await sentEvents(scene.database, workspaceId, 900);
    await scene.receiver.waitFor(900);
    await eventually(async () => (await count("attempts > 0 and status <> 'pending'")) === 900);

    expect(await count("status = 'retrying'")).toBe(300);
    const owned = await count('owned_by_workflow');
    expect(owned).toBeLessThanOrEqual(200);
    expect(owned).toBeGreaterThan(10);
    const further =
      "status = 'retrying' and not owned_by_workflow and lease_until = next_attempt_at";
    expect(await count(further)).toBe(300 - owned);
    // Failures that are written down without a success beside them may wait in the lane, in place of the backlog.
    const inLane = await count(`${further} and not in_backlog`);
    expect(inLane).toBeLessThanOrEqual(WAITING_IN_LANE);
    expect(await commandsOf(workspaceId, 'endpoint.changed')).toHaveLength(1);
  });

  it('never has more than 200 although ten processes write failures down at the same moment', async () => {
    const { id, ctx } = await aTarget(scene, '/sometimes');
    const { organizationId } = ctx;
    const answers = Array.from({ length: 400 }, (_, n) => ({
      organizationId,
      endpointId: id,
      status: n % 2 === 0 ? ('retrying' as const) : ('succeeded' as const),
    }));
    const { system } = scene.database;

    const rooms = await Promise.all(
      Array.from({ length: 10 }, () => capacitiesOf(sqlOver(system), answers, true)),
    );

    const slots = rooms.map((room) => room.get(id)?.slots ?? 0);
    expect(Math.min(...slots)).toBeGreaterThan(0);
    expect(slots.reduce((sum, some) => sum + some, 0)).toBeLessThanOrEqual(200);
  });
});
