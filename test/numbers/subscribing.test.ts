import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { aNumber } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import { openConfirmedNumbers } from './support/connecting.ts';

const open = opened(openConfirmedNumbers);

const REFUSED = {
  error: { code: 200, message: '(#200) You do not have the necessary permissions.' },
};

/** A WhatsApp that shows every number as this one and names no account; it subscribes everybody, or nobody. */
async function namingNoAccount(
  phone: string,
  subscribes = true,
): Promise<Server & { url: string; subscribed: (string | undefined)[] }> {
  const subscribed: (string | undefined)[] = [];
  const server = createServer(({ method, url }, res) => {
    if (method === 'GET') return res.end(JSON.stringify({ display_phone_number: phone, data: [] }));
    if (!subscribes) return res.writeHead(403).end(JSON.stringify(REFUSED));
    subscribed.push(url);
    return res.end(JSON.stringify({ success: true }));
  });
  server.listen(0, '127.0.0.1').unref();
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return Object.assign(server, { url: `http://127.0.0.1:${port}`, subscribed });
}

describe('a number of the Cloud API', () => {
  it('is neither added nor connected where WhatsApp does not send its webhooks here', async () => {
    const whatsapp = await namingNoAccount('+55 11 98765-4323', false);
    const phone = '+5511987654323';
    const { id } = await aNumber(open.ctx, { provider: 'cloud_api', phone });
    const before = await open.numbers();
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

    await expect(open.add({ ...given, phone }, whatsapp.url)).rejects.toMatchObject(refused);
    const connection = { ...given, accessToken: 'EAAG' };
    await expect(open.connect(id, connection, whatsapp.url)).rejects.toMatchObject(refused);
    expect(await open.numbers()).toEqual(before);
    whatsapp.close();
  });

  it('is neither added nor connected where nobody names the account that sends its webhooks', async () => {
    const phone = '+5511987654329';
    const whatsapp = await namingNoAccount(phone);
    const { id } = await aNumber(open.ctx, { provider: 'cloud_api', phone });
    const before = await open.numbers();
    const given = { phoneNumberId: '5511987654329', accessToken: 'EAAG' };
    const refused = {
      code: 'validation',
      details: [{ path: 'business_account_id', rule: 'unconfirmed' }],
    };

    await expect(open.add({ ...given, phone }, whatsapp.url)).rejects.toMatchObject(refused);
    await expect(open.connect(id, given, whatsapp.url)).rejects.toMatchObject(refused);
    expect(await open.numbers()).toEqual(before);
    whatsapp.close();
  });

  it('has the webhooks of its stored account where WhatsApp names none', async () => {
    const phone = '+5511987654330';
    const whatsapp = await namingNoAccount(phone);
    const businessAccountId = '102290129340398';
    const { id } = await aNumber(open.ctx, {
      provider: 'cloud_api',
      phone,
      phoneNumberId: '5511987654330',
      accessToken: 'EAAG',
      businessAccountId,
    });

    const connected = await open.connect(id, { accessToken: 'EAAH' }, whatsapp.url);

    expect(connected).toMatchObject({ status: 'connected', businessAccountId });
    expect(whatsapp.subscribed).toEqual([`/v23.0/${businessAccountId}/subscribed_apps`]);
    whatsapp.close();
  });

  it('is not subscribed for where we refuse it ourselves: its plan is full, or its id is taken, by whomever', async () => {
    const phone = '+5511987654331';
    const whatsapp = await namingNoAccount(phone);
    const taken = { phoneNumberId: '5511987654331', businessAccountId: '102290129340398' };
    const other = await aWorkspace(open.database);
    await aNumber(other.ctx, { provider: 'cloud_api', phone, ...taken });
    const { id } = await aNumber(open.ctx, { provider: 'cloud_api', phone });
    const before = await open.numbers();
    const duplicate = { code: 'duplicate' };
    const connection = { ...taken, accessToken: 'EAAG' };

    await expect(open.add({ ...taken, phone }, whatsapp.url)).rejects.toMatchObject(duplicate);
    await expect(open.connect(id, connection, whatsapp.url)).rejects.toMatchObject(duplicate);
    expect(whatsapp.subscribed).toEqual([]);
    await rowsOf(open.ctx, "update workspaces set plan = 'essencial'");
    const free = { ...taken, phone, phoneNumberId: '5511987654332' };
    await expect(open.add(free, whatsapp.url)).rejects.toMatchObject({ code: 'quota' });
    await rowsOf(open.ctx, "update workspaces set plan = 'escala'");
    expect(await open.numbers()).toEqual(before);
    expect(whatsapp.subscribed).toEqual([]);
    whatsapp.close();
  });
});
