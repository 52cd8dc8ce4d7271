import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import { type Database, sqlOver } from '../../src/db/database.ts';
import { asOwner } from '../webhooks/events/support/refusing.ts';
import { openPatiently, openTestDatabase, type TestDatabase } from './database.ts';
import { anEndpoint } from './factories/webhooks.ts';
import { aWorkspace } from './factories/workspaces.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { type RelayWishes, type RunningRelay, runRelay } from './relay.ts';

/** One row of the deliveries of an endpoint. */
export interface DeliveryRow {
  readonly id: string;
  readonly status: string;
  readonly attempts: number;
  readonly error: string | null;
}

/** A database, a customer's server and relays around one test file; relays end after each test. */
export function relayScene() {
  const running: RunningRelay[] = [];
  const scene = {} as { database: Database; receiver: Receiver; testDatabase: TestDatabase };

  beforeAll(async () => {
    scene.testDatabase = await openTestDatabase();
    scene.database = await openPatiently({ url: scene.testDatabase.url });
    scene.receiver = await startReceiver();
  });
  afterAll(async () => {
    await scene.receiver.close();
    await scene.database.close();
    await scene.testDatabase.close();
  });
  beforeEach(() => {
    scene.receiver.received.length = 0;
    scene.receiver.answer = () => ({ status: 200 });
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((relay) => relay.stop()));
    // What a failed test left to deliver would be counted as the next one's.
    await asOwner(scene.testDatabase.url, 'update webhook_endpoints set deleted_at = now()');
  });

  async function start(wishes: Partial<RelayWishes> = {}): Promise<RunningRelay> {
    const { database, receiver, testDatabase } = scene;
    const trustedOrigins = [receiver.origin];
    const relay = await runRelay({ url: testDatabase.url, database, trustedOrigins, ...wishes });
    running.push(relay);
    return relay;
  }

  /** Ends it in good order before the test is over. */
  async function stop(relay: RunningRelay): Promise<void> {
    running.splice(running.indexOf(relay), 1);
    await relay.stop();
  }

  /** A workspace of its own with one endpoint, and its deliveries. */
  async function anEndpointOf() {
    const { database, receiver } = scene;
    const { ctx, workspaceId } = await aWorkspace(database);
    const { id } = await anEndpoint(ctx, `${receiver.origin}/${workspaceId}`);
    const deliveries = () =>
      sqlOver(database.system).rows<DeliveryRow>(
        'select id, status, attempts, error from webhook_deliveries where endpoint_id = $1 order by id',
        [id],
      );
    const all = async (status: string, count: number): Promise<boolean> => {
      const rows = await deliveries();
      return rows.length === count && rows.every((row) => row.status === status);
    };
    return { ctx, workspaceId, endpointId: id, deliveries, all };
  }

  /** What is in the queue for a workspace. */
  const facts = (workspaceId: string) =>
    sqlOver(scene.database.system).rows<{ type: string; tries: number; dead: boolean }>(
      'select type, tries, dead_at is not null as dead from facts where organization_id = $1 order by id',
      [workspaceId],
    );

  return { scene, start, stop, anEndpointOf, facts };
}
