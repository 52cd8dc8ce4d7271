import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sqlOver } from '../../../src/db/database.ts';
import { webhookRoutes } from '../../../src/webhooks/routes.ts';
import { anApiKey } from '../../support/factories/api-keys.ts';
import { testKeyring } from '../../support/factories/numbers.ts';
import { aWorkspace } from '../../support/factories/workspaces.ts';
import { type OpenDoor, openDoor } from '../../support/http.ts';

let door: OpenDoor;
beforeAll(async () => {
  const routes = webhookRoutes({ keyring: testKeyring, trustedOrigins: [] });
  door = await openDoor({ routes, keyring: testKeyring });
});
afterAll(() => door.close());

describe('the endpoints of a workspace', () => {
  it.each([
    ['essencial', 2],
    ['profissional', 10],
    ['escala', 30],
  ] as const)('under the plan %s are %i and no more', async (plan, limit) => {
    const { ctx } = await aWorkspace(door.database, { plan });
    const { key } = await anApiKey(ctx);
    const create = async (n: number) =>
      door.api.call('POST', '/api/v1/webhooks', {
        key,
        body: { name: `E${n}`, url: 'https://hooks.example.com/', events: ['message.sent'] },
      });

    for (let n = 0; n < limit; n += 1) expect((await create(n)).status).toBe(201);
    const over = await create(limit);

    expect(over.status).toBe(409);
    expect(over.body.error).toMatchObject({ code: 'quota', details: { limit, used: limit, plan } });
  });
});

describe('the plans', () => {
  it('have the limits of the table', async () => {
    const rows = await sqlOver(door.database.system).rows(
      'select * from plans order by webhook_endpoints',
    );

    const columns = [
      ...['name', 'webhook_endpoints', 'numbers', 'seats', 'contacts', 'campaign_recipients'],
      ...['active_automations', 'active_reminders', 'max_pace', 'history_months'],
    ];
    const table = [
      ['essencial', 2, 1, 3, 5_000, 3_000, 5, 50, 60, 6],
      ['profissional', 10, 5, 15, 50_000, 50_000, 50, 1_000, 600, 24],
      ['escala', 30, 20, 60, 500_000, 1_000_000, 500, 20_000, 4_800, null],
    ];
    expect(rows).toEqual(
      table.map((row) => Object.fromEntries(columns.map((column, i) => [column, row[i]]))),
    );
  });
});
