import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Context } from '../../src/context.ts';
import { createCloudApiGateway } from '../../src/gateway/cloud-api/gateway.ts';
import { addConfirmed, connectConfirmed } from '../../src/numbers/confirming.ts';
import type { Connection } from '../../src/numbers/connecting.ts';
import type { NewNumber } from '../../src/numbers/service.ts';
import { type Simulator, startSimulator } from '../../src/simulator/simulator.ts';
import { type OwnDatabase, openOwnDatabase } from '../support/database.ts';
import { aNumber, testKeyring } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { auditActions, rowsOf } from '../support/rows-of.ts';

/** The account of the simulator. */
const ACCOUNT = '100000000000001';

let database: OwnDatabase;
let simulator: Simulator;
let ctx: Context;

beforeAll(async () => {
  database = await openOwnDatabase();
  ({ ctx } = await aWorkspace(database));
  simulator = await startSimulator({
    port: 0,
    callbackUrl: 'http://127.0.0.1:9/webhooks/whatsapp',
    appSecret: 'a secret of the tests',
  });
});
afterAll(async () => {
  await simulator.stop();
  await database.close();
});

/** What asking this WhatsApp leads to. */
async function asking<T>(
  work: (parts: Parameters<typeof addConfirmed>[2]) => Promise<T>,
  baseUrl = simulator.url,
): Promise<T> {
  const gateway = createCloudApiGateway({ baseUrl, version: 'v23.0' });
  try {
    return await work({ keyring: testKeyring, whatsapp: () => gateway });
  } finally {
    await gateway.close();
  }
}

const add = (wishes: Partial<NewNumber>, baseUrl?: string) => {
  const { phone = '+5511987654321' } = wishes;
  const given = { name: 'Vendas', provider: 'cloud_api', accessToken: 'EAAG', phone } as const;
  return asking((parts) => addConfirmed(ctx, { ...given, ...wishes }, parts), baseUrl);
};

const connect = (id: string, connection: Connection, baseUrl?: string) =>
  asking((parts) => connectConfirmed(ctx, id, connection, parts), baseUrl);

const numbers = () =>
  rowsOf(ctx, 'select id, status, phone_number_id, business_account_id, access_token from numbers');

/** A WhatsApp that shows every number as this one, and subscribes nobody. */
async function refusingToSubscribe(phone: string): Promise<Server & { url: string }> {
  const message = '(#200) You do not have the necessary permissions.';
  const server = createServer(({ method }, res) => {
    if (method === 'GET') return res.end(JSON.stringify({ display_phone_number: phone, data: [] }));
    return res.writeHead(403).end(JSON.stringify({ error: { code: 200, message } }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(server, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  });
}

describe('a number of the Cloud API', () => {
  it('is added with the business account that WhatsApp names, if id, token and phone are its own', async () => {
    const number = await add({ phone: '+5511987654321', phoneNumberId: '551187654321' });

    expect(number).toMatchObject({ status: 'connected', businessAccountId: ACCOUNT });
  });

  it.each<[string, Partial<NewNumber>, string, RegExp]>([
    [
      'an id that WhatsApp does not know',
      { phoneNumberId: '1234' },
      'phone_number_id',
      /does not exist/,
    ],
    [
      'the id of another phone',
      { phoneNumberId: '5511987654322' },
      'phone_number_id',
      /\+5511987654322, not of \+5511987654321/,
    ],
    [
      'a token that is over',
      { phone: '+5511980000190', phoneNumberId: '5511980000190' },
      'access_token',
      /expired.+whatsapp_business_management/,
    ],
    [
      'an empty token',
      { phoneNumberId: '5511987654321', accessToken: '' },
      'access_token',
      /expired/,
    ],
    [
      'a token that may not',
      { phone: '+5511980000200', phoneNumberId: '5511980000200' },
      'access_token',
      /whatsapp_business_messaging/,
    ],
    [
      'a locked account',
      { phone: '+5511980131031', phoneNumberId: '5511980131031' },
      'phone_number_id',
      /locked/,
    ],
    [
      'the account of another number',
      { phoneNumberId: '5511987654321', businessAccountId: '102290129340398' },
      'business_account_id',
      /belongs to the account 100000000000001/,
    ],
  ])('is not added with %s', async (_what, wishes, path, message) => {
    const before = await numbers();

    await expect(add(wishes)).rejects.toMatchObject({
      code: 'validation',
      details: [{ path, rule: 'unconfirmed', message: expect.stringMatching(message) }],
    });
    expect(await numbers()).toEqual(before);
  });

  it('is neither added nor connected where WhatsApp does not send its webhooks here', async () => {
    const whatsapp = await refusingToSubscribe('+55 11 98765-4323');
    const phone = '+5511987654323';
    const { id } = await aNumber(ctx, { provider: 'cloud_api', phone });
    const before = await numbers();
    const given = { phoneNumberId: '5511987654323', businessAccountId: '102290129340398' };
    const refused = {
      details: [
        {
          path: 'access_token',
          message: expect.stringMatching(
            /webhooks of the account 102290129340398.+necessary permissions\. Give/,
          ),
        },
      ],
    };

    await expect(add({ ...given, phone }, whatsapp.url)).rejects.toMatchObject(refused);
    const connection = { ...given, accessToken: 'EAAG' };
    await expect(connect(id, connection, whatsapp.url)).rejects.toMatchObject(refused);
    expect(await numbers()).toEqual(before);
    whatsapp.close();
  });

  it('is neither added nor connected while WhatsApp cannot be reached', async () => {
    const { id } = await aNumber(ctx, { provider: 'cloud_api', phone: '+5511987654324' });
    const before = await numbers();
    const given = { phoneNumberId: '5511987654324', accessToken: 'EAAG' };
    const away = { code: 'unavailable', message: expect.stringContaining('cannot be reached') };

    await expect(add(given, 'http://127.0.0.1:1')).rejects.toMatchObject(away);
    await expect(connect(id, given, 'http://127.0.0.1:1')).rejects.toMatchObject(away);
    expect(await numbers()).toEqual(before);
  });

  it('is connected again with what is stored, and learns its business account', async () => {
    const phone = '+5511987654325';
    const { id } = await aNumber(ctx, {
      ...{ provider: 'cloud_api', phone },
      ...{ phoneNumberId: '5511987654325', accessToken: 'EAAG', businessAccountId: '1' },
    });
    await rowsOf(ctx, "update numbers set status = 'disconnected' where id = $1", [id]);

    expect(await connect(id, {})).toMatchObject({
      status: 'connected',
      businessAccountId: ACCOUNT,
    });
    expect((await auditActions(ctx, id)).slice(1)).toEqual(['number.connected']);
  });

  it('stays as it was where it is connected with what is not its own', async () => {
    const phone = '+5511987654326';
    const { id } = await aNumber(ctx, { provider: 'cloud_api', phone });
    const before = await numbers();
    const accessToken = 'EAAG';
    const given = { phoneNumberId: '5511987654327', accessToken };

    await expect(connect(id, given)).rejects.toMatchObject({
      details: [{ path: 'phone_number_id', rule: 'unconfirmed' }],
    });
    // What we know ourselves is said before WhatsApp is asked.
    await expect(
      connect(id, { accessToken, businessAccountId: 'mine' }, 'http://127.0.0.1:1'),
    ).rejects.toMatchObject({ details: [{ path: 'business_account_id', rule: 'format' }] });
    await expect(connect(id, { accessToken }, 'http://127.0.0.1:1')).rejects.toMatchObject({
      details: [{ path: 'phone_number_id', rule: 'required' }],
    });
    expect(await numbers()).toEqual(before);
  });
});

it('is not asked about numbers that it does not know', async () => {
  const whatsapp = (): never => {
    throw new TypeError('it was asked');
  };
  const parts = { keyring: testKeyring, whatsapp };
  const given = { name: 'Teste', phone: '+5511987654328' };
  const added = await Promise.all(
    (['sandbox', 'paired', 'cloud_api'] as const).map((provider) =>
      addConfirmed(ctx, { ...given, provider }, parts),
    ),
  );
  const ids = added.map(({ id }) => id);
  await rowsOf(ctx, "update numbers set status = 'error' where id = any($1)", [ids.slice(0, 2)]);

  const connected = [];
  for (const id of ids.slice(0, 2)) connected.push(await connectConfirmed(ctx, id, {}, parts));

  expect(added.map(({ status }) => status)).toEqual(['connected', 'provisioning', 'provisioning']);
  expect(connected.map(({ status }) => status)).toEqual(['connected', 'provisioning']);
});
