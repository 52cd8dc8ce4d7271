import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '../../../src/ids.ts';
import { openListener } from '../../../src/webhooks/listeners/service.ts';
import { webhookRoutes } from '../../../src/webhooks/routes.ts';
import { anApiKey } from '../../support/factories/api-keys.ts';
import { testKeyring } from '../../support/factories/numbers.ts';
import { aWorkspace } from '../../support/factories/workspaces.ts';
import { type OpenDoor, openDoor } from '../../support/http.ts';
import { rowsOf } from '../../support/rows-of.ts';

const routes = webhookRoutes({ keyring: testKeyring, trustedOrigins: [] });
let door: OpenDoor;
let key: string;
let id: string;
let state: () => Promise<unknown>;

beforeAll(async () => {
  door = await openDoor({ routes, keyring: testKeyring });
  const { ctx } = await aWorkspace(door.database, { plan: 'essencial' });
  key = (await anApiKey(ctx)).key;
  const wish = { url: 'http://localhost:4000/hooks', events: ['message.sent'] };
  id = (await openListener(ctx, wish, testKeyring)).id;
  state = () => rowsOf(ctx, 'select * from webhook_endpoints where id = $1', [id]);
});
afterAll(() => door.close());

describe('a listener', () => {
  const aboutOne = routes.filter(({ path }) => path.includes('/:id'));

  it.each(aboutOne.map((route) => [`${route.method} ${route.path}`, route] as const))(
    'is not there for %s',
    async (_name, { method, path }) => {
      const before = await state();
      const place = path.replace(':id', id).replace(':delivery_id', newId('dlv'));
      const body = method === 'PATCH' ? { name: 'Mine' } : {};

      const reply = await door.api.call(method, `/api${place}`, {
        key,
        ...(method === 'GET' ? {} : { body }),
      });

      expect([reply.status, reply.body.error?.code]).toEqual([404, 'not_found']);
      expect(await state()).toEqual(before);
    },
  );

  it('is in no list and takes no place of the plan', async () => {
    const body = { name: 'E', url: 'https://hooks.example.com/', events: ['message.sent'] };
    for (let n = 0; n < 2; n += 1)
      expect((await door.api.call('POST', '/api/v1/webhooks', { key, body })).status).toBe(201);

    const list = await door.api.call('GET', '/api/v1/webhooks', { key });

    expect(list.body.data).toHaveLength(2);
    expect(list.text).not.toContain(id);
  });
});
