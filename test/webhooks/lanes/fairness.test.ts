import { describe, expect, it } from '@jest/globals';
import { inWorkspace, sqlOver } from '../../../src/db/database.ts';
import { eventFact, insertFacts } from '../../../src/outbox/record.ts';
import { sampleData } from '../../../src/outbox/samples.ts';
import { createWaker } from '../../../src/relay/processes/waker.ts';
import { pauseEndpoint } from '../../../src/webhooks/pausing.ts';
import { deleteEndpoint } from '../../../src/webhooks/service.ts';
import { statementsWaiting } from '../../support/database.ts';
import { anEndpoint, sentEvents } from '../../support/factories/webhooks.ts';
import { eventually } from '../../support/waiting.ts';
import { aTarget, openLaneScene } from '../support/lane-scene.ts';

// Nobody is given up within a test: only what is answered makes room.
const scene = openLaneScene({ deadlineMs: 80_000 });

const aStatementWaits = async (): Promise<boolean> =>
  (await statementsWaiting(scene.database.system)) > 0;

const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('first attempts', () => {
  it('never have more than 8 in flight for one endpoint', async () => {
    const { workspaceId } = await aTarget(scene, '/eight');
    const eight = Promise.withResolvers<void>();
    let inFlight = 0;
    let most = 0;
    scene.receiver.answer = async () => {
      inFlight += 1;
      most = Math.max(most, inFlight);
      if (most === 8) eight.resolve();
      await eight.promise;
      await later(20);
      inFlight -= 1;
      return { status: 200 };
    };

    await sentEvents(scene.database, workspaceId, 100);
    await scene.receiver.waitFor(100);

    expect(most).toBe(8);
  });

  it('of a quick endpoint do not wait for a slow one', async () => {
    const slow = await aTarget(scene, '/slow');
    const quick = await aTarget(scene, '/quick');
    const delivered = Promise.withResolvers<void>();
    scene.receiver.answer = async ({ path }) => {
      if (path === '/slow') await delivered.promise;
      return { status: 200 };
    };

    await sentEvents(scene.database, slow.workspaceId, 300);
    await eventually(() => scene.receiver.received.length >= 8);
    await sentEvents(scene.database, quick.workspaceId, 100);
    void scene.running.waker.wake('events');
    await eventually(async () => (await quick.count("status = 'succeeded'")) === 100);

    // All of the quick ones while not one of the slow ones was answered.
    expect(await slow.count("status = 'succeeded'")).toBe(0);
    delivered.resolve();
  });

  it('of a quick endpoint do not wait for many that fall silent at the same moment', async () => {
    const silent = [];
    for (let n = 0; n < 40; n += 1) silent.push(await aTarget(scene, `/silent/${n}`));
    const quick = await aTarget(scene, '/quick-among-silent');
    const delivered = Promise.withResolvers<void>();
    scene.receiver.answer = async ({ path }) => {
      if (path.startsWith('/silent')) await delivered.promise;
      return { status: 200 };
    };

    for (const { workspaceId } of silent) await sentEvents(scene.database, workspaceId, 10);
    await eventually(() => scene.receiver.received.length >= 256);
    await sentEvents(scene.database, quick.workspaceId, 20);
    await eventually(async () => (await quick.count("status = 'succeeded'")) === 20);

    delivered.resolve();
    await eventually(() => scene.running.relay.figures().inFlight === 0);
  });

  it('of a quick endpoint do not wait for twenty of another workspace that are nearly slow', async () => {
    const tardy = await aTarget(scene, '/tardy/0');
    for (let n = 1; n < 20; n += 1)
      await anEndpoint(tardy.ctx, `${scene.receiver.origin}/tardy/${n}`);
    const quick = await aTarget(scene, '/quick-beside-tardy');
    let answered = 0;
    let quickOnes = 0;
    let answeredBeforeQuick = Number.POSITIVE_INFINITY;
    scene.receiver.answer = async ({ path }) => {
      if (path.startsWith('/tardy')) {
        await later(700);
        answered += 1;
      } else {
        quickOnes += 1;
        // When they were begun, not when it was written down, which takes a busy database its time.
        if (quickOnes === 20) answeredBeforeQuick = answered;
      }
      return { status: 200 };
    };

    // As many as are taken in one turn.
    await sentEvents(scene.database, tardy.workspaceId, 200);
    await eventually(() => scene.running.relay.figures().waiting > 3_500);
    await sentEvents(scene.database, quick.workspaceId, 20);
    const before = answered;
    void scene.running.waker.wake('events');
    await eventually(async () => (await quick.count("status = 'succeeded'")) === 20);

    // 160 of those are answered each 0.7 s. Who waited until 2,000 of them were left would see 1,500 answered.
    expect(answeredBeforeQuick - before).toBeLessThanOrEqual(7 * 160);
  });

  it('never begin for an endpoint whose deletion was answered while they were being read', async () => {
    const { ctx, id, workspaceId } = await aTarget(scene, '/deleted-meanwhile');
    const event = eventFact(workspaceId, 'message.sent', sampleData['message.sent'], new Date());
    // Another transaction is about to store the same event: whoever reads the fact waits for it.
    const other = await scene.database.system.connect();
    await other.query('begin');
    await other.query(
      `insert into events (day, organization_id, id, type, body, created_at) values (wms.id_day($2), $1, $2, 'message.sent', '', now())`,
      [workspaceId, event.id],
    );
    await inWorkspace(scene.database, workspaceId, (sql) => insertFacts(sql, workspaceId, [event]));
    await eventually(aStatementWaits);

    await deleteEndpoint(ctx, id);
    await other.query('rollback');
    other.release();
    // Its own event, for commands of earlier tests wait for a Temporal that is not there.
    const waiting = (): Promise<unknown[]> =>
      sqlOver(scene.database.system).rows(
        'select from facts where is_event and organization_id = $1',
        [workspaceId],
      );
    await eventually(async () => (await waiting()).length === 0);
    await later(300);

    expect(scene.receiver.received).toEqual([]);
  });

  it.each([
    ['pause', pauseEndpoint],
    ['deletion', deleteEndpoint],
  ])(
    'never begin after another process has answered the %s, though it only just started',
    async (_, stop) => {
      const { ctx, id, workspaceId } = await aTarget(scene, '/stopped-elsewhere');
      const another = createWaker({ url: scene.database.url, latestMs: 60_000 });
      scene.receiver.answer = async () => {
        await later(30);
        return { status: 200 };
      };
      await sentEvents(scene.database, workspaceId, 200);
      await scene.receiver.waitFor(16);

      await stop({ ...ctx, wake: another.wake }, id);
      const begun = scene.receiver.received.length;
      await later(500);
      await another.close();

      // Those in flight may still be on their way to the receiver.
      expect(scene.receiver.received.length).toBeLessThanOrEqual(begun + 8);
    },
  );

  it('end for an endpoint that is deleted while they wait', async () => {
    const { ctx, id, workspaceId, count } = await aTarget(scene, '/deleted');
    const deleted = Promise.withResolvers<void>();
    scene.receiver.answer = async () => {
      await deleted.promise;
      return { status: 200 };
    };
    await sentEvents(scene.database, workspaceId, 200);
    await scene.receiver.waitFor(8);

    await deleteEndpoint(ctx, id);
    deleted.resolve();
    await eventually(async () => (await count("status = 'succeeded'")) === 8);
    await later(500);

    // Only those that were under way when the deletion was answered.
    expect(scene.receiver.received.length).toBe(8);
  });
});
