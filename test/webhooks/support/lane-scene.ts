import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import { sqlOver } from '../../../src/db/database.ts';
import { type OwnDatabase, openOwnDatabase } from '../../support/database.ts';
import { anEndpoint } from '../../support/factories/webhooks.ts';
import { aWorkspace } from '../../support/factories/workspaces.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { type RelayWishes, type RunningRelay, runRelay } from '../../support/relay.ts';

/** A database for the file; for each test a receiver, and a relay that delivers to it. */
export interface LaneScene {
  readonly database: OwnDatabase;
  readonly receiver: Receiver;
  readonly running: RunningRelay;
}

/** Call it once in a file, outside of its tests; what it answers is there within them. */
export function openLaneScene(wishes: Pick<RelayWishes, 'deadlineMs' | 'parts'> = {}): LaneScene {
  const scene = {} as { -readonly [K in keyof LaneScene]: LaneScene[K] };

  beforeAll(async () => {
    scene.database = await openOwnDatabase();
  });

  afterAll(() => scene.database.close());

  beforeEach(async () => {
    scene.receiver = await startReceiver();
    const trustedOrigins = [scene.receiver.origin];
    const { database } = scene;
    scene.running = await runRelay({ url: database.url, database, trustedOrigins, ...wishes });
  });

  afterEach(async () => {
    await scene.running.stop();
    await scene.receiver.close();
  });

  return scene;
}

/** A workspace with an endpoint at that path of the receiver; `count` counts its deliveries that are so. */
export async function aTarget({ database, receiver, running }: LaneScene, path: string) {
  const { ctx, workspaceId } = await aWorkspace(database, { wake: running.waker.wake });
  const { id } = await anEndpoint(ctx, receiver.origin + path);
  const count = async (condition: string): Promise<number> => {
    const [row] = await sqlOver(database.system).rows<{ n: number }>(
      `select count(*) as n from webhook_deliveries where endpoint_id = $1 and ${condition}`,
      [id],
    );
    return row?.n ?? 0;
  };
  return { ctx, workspaceId, id, count };
}
