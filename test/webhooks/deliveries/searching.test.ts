import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { inWorkspace } from '../../../src/db/database.ts';
import { searchDeliveries } from '../../../src/webhooks/deliveries/inspecting.ts';
import { webhookRoutes } from '../../../src/webhooks/routes.ts';
import { analyze } from '../../support/analyzing.ts';
import { type OwnDatabase, openOwnDatabase } from '../../support/database.ts';
import { testKeyring } from '../../support/factories/numbers.ts';
import { doorOf, type OpenDoor, serveApi } from '../../support/http.ts';
import { rowsRead } from '../../support/rows-read.ts';
import { BLOCKED, FAILED, RETRYING, SUCCEEDED } from '../support/ended.ts';
import { anEndpointScene, type EndpointScene } from '../support/endpoint-scene.ts';

let database: OwnDatabase;
let door: OpenDoor;
beforeAll(async () => {
  database = await openOwnDatabase();
  const routes = webhookRoutes({ keyring: testKeyring, trustedOrigins: [] });
  door = doorOf(database, await serveApi(database, { routes, keyring: testKeyring }));
});
afterAll(() => door.close());

const PARTS = `select relname as name from pg_class where relname ~ '^webhook_deliveries' and $1 <> ''`;

/** The deliveries that are shown with this status, and how many rows were read for that. */
async function search({ workspaceId, rows }: EndpointScene, status: string) {
  const parts = (await rows<{ name: string }>(PARTS)).map(({ name }) => name);
  return inWorkspace(database, workspaceId, async (sql) => {
    const before = await rowsRead(sql, parts);
    const wish = { status, limit: 50 };
    const { found } = await searchDeliveries({ sql, organizationId: workspaceId }, wish);
    const read = (await rowsRead(sql, parts)) - before;
    return { shown: found.map((one) => [one.id, one.status]), read };
  });
}

const LANES: readonly (readonly [string, string | undefined])[] = [
  ['pending', undefined],
  ['retrying', RETRYING],
  ['held', "status = 'held', in_backlog = true, held_at = now()"],
  ['failed', FAILED],
  ['blocked', BLOCKED],
];
const OPEN = ['pending', 'retrying', 'held'];

describe('the deliveries that an operator searches by status', () => {
  it.each(['active', 'paused'])(
    'are those shown with it, of an endpoint that is %s, and little else is read',
    async (state) => {
      const scene = await anEndpointScene(door);
      const made: [string, string][] = [];
      for (const [status, set] of LANES) {
        const [id = ''] = await scene.deliveries(1, set);
        made.unshift([id, state === 'paused' && OPEN.includes(status) ? 'held' : status]);
      }
      await scene.deliveries(600, SUCCEEDED);
      await analyze(database.url, 'webhook_deliveries');
      if (state === 'paused') await scene.call('POST', '/pause');

      for (const status of [...OPEN, 'failed', 'blocked']) {
        const { shown, read } = await search(scene, status);
        expect([status, shown]).toEqual([status, made.filter(([, as]) => as === status)]);
        expect([status, read < 50]).toEqual([status, true]);
      }
    },
  );
});
