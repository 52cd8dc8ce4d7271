import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Context } from '../../src/context.ts';
import { createCloudApiGateway } from '../../src/gateway/cloud-api/gateway.ts';
import { createInboundProcessor, type InboundProcessor } from '../../src/inbound/processor.ts';
import { type Simulator, startSimulator } from '../../src/simulator/simulator.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation, someMessages } from '../support/factories/conversations.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { APP_SECRET, type InboundStage, openInboundStage } from '../support/inbound.ts';
import { ownPort } from '../support/ports.ts';
import { factsOf, rowsOf } from '../support/rows-of.ts';
import { eventually } from '../support/waiting.ts';

/** A machine that stands still for a moment is no WhatsApp that does not answer. */
const patient = (baseUrl: string) =>
  createCloudApiGateway({ baseUrl, version: 'v23.0', deadlineMs: 60_000 });

let stage: InboundStage;
let simulator: Simulator;
let gateway: ReturnType<typeof createCloudApiGateway>;
let processor: InboundProcessor;
let ctx: Context;
let numberId: string;
let phoneNumberId: string;

beforeAll(async () => {
  stage = await openInboundStage();
  ({ ctx } = await aWorkspace(stage.database));
  const number = await aNumber(ctx);
  numberId = number.id;
  phoneNumberId = number.phoneNumberId ?? '';
  simulator = await startSimulator({
    port: 0,
    callbackUrl: `${stage.api.url}/webhooks/whatsapp`,
    appSecret: APP_SECRET,
  });
  gateway = patient(simulator.url);
  processor = createInboundProcessor({ ...stage.options, pollMs: 500 });
  stage.onStored = () => processor.wake();
  processor.start();
});

afterAll(async () => {
  await processor.stop();
  await gateway.close();
  await simulator.stop();
  await stage.close();
});

const control = (path: string, body: object): Promise<Response> =>
  fetch(`${simulator.url}/simulator/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

async function conversationWith(
  phone: string,
): Promise<{ contactId: string; conversationId: string }> {
  const contactId = (await aContact(ctx, { phone })).id;
  return { contactId, conversationId: await aConversation(ctx, { numberId, contactId }) };
}

const statusesOf = async (ids: readonly string[]): Promise<string[]> => {
  const rows = await rowsOf<{ status: string }>(
    ctx,
    'select status from messages where id = any($1)',
    [ids],
  );
  return [...new Set(rows.map(({ status }) => status))];
};

describe('the simulator and the service, over real HTTP', () => {
  it('ends every unrecorded send at read, through statuses that come twice and out of order', async () => {
    const to = '+5511910900002';
    const place = await conversationWith(to);
    await control('faults', { status_duplicates: 1, status_shuffle: true });
    const ids = await someMessages(ctx, { numberId, ...place, count: 40, status: 'unconfirmed' });

    const results = await Promise.all(
      ids.map((correlation) =>
        gateway.send({ phoneNumberId, accessToken: 'token', to, text: 'Oi', correlation }),
      ),
    );
    await eventually(async () => (await statusesOf(ids)).join() === 'read');

    expect(new Set(results.map(({ kind }) => kind))).toEqual(new Set(['accepted']));
    expect(await factsOf(ctx, 'message.sent')).toHaveLength(40);
    await control('faults', {});
  });

  it('takes in what a person writes, and what a person answers', async () => {
    const to = '+5511910900005';
    const place = await conversationWith(to);
    const [correlation = ''] = await someMessages(ctx, { numberId, ...place });

    await gateway.send({ phoneNumberId, accessToken: 'token', to, text: 'Oi', correlation });
    await control('inbound', {
      phone_number_id: phoneNumberId,
      from: '5521988887777',
      name: 'Caio',
      text: 'Quanto custa?',
    });
    const received = (): Promise<Record<string, unknown>[]> => factsOf(ctx, 'message.received');
    await eventually(async () => (await received()).length === 2);

    const messages = (await received()).map(({ message }) => (message as { text: string }).text);
    expect(messages.sort()).toEqual(['Quanto custa?', 'Thanks, I got your message!']);
  });

  it.each([
    ['phone', '5511910900006', '5511910900007'],
    ['id', 'BR.910900006', 'BR.910900007'],
  ])('knows by a new %s that the person had opted out', async (_, from, to) => {
    const writes = (person: string, text: string) =>
      control('inbound', { phone_number_id: phoneNumberId, from: person, text });
    await writes(from, 'SAIR');

    await control('change', { phone_number_id: phoneNumberId, from, to });
    await writes(to, 'Oi');

    const standing = () =>
      rowsOf<{ opted_out: boolean }>(
        ctx,
        `select c.opted_out from contacts c join contact_identities i on i.contact_id = c.id
         where i.value = any($1)`,
        [[to, `+${to}`]],
      );
    await eventually(async () => (await standing()).length > 0);

    expect(await standing()).toEqual([{ opted_out: true }]);
  });

  it('loses nothing while the service cannot be reached', async () => {
    const away = createServer((_, res) => res.writeHead(503).end());
    const port = await ownPort();
    await new Promise<void>((resolve) => away.listen(port, '127.0.0.1', resolve));
    const elsewhere = await startSimulator({
      port: 0,
      callbackUrl: `http://127.0.0.1:${port}/webhooks/whatsapp`,
      appSecret: APP_SECRET,
    });
    const reach = patient(elsewhere.url);
    const to = '+5511912345678';
    const place = await conversationWith(to);
    const ids = await someMessages(ctx, { numberId, ...place, count: 5 });

    for (const correlation of ids)
      await reach.send({ phoneNumberId, accessToken: 'token', to, text: 'Oi', correlation });
    const meanwhile = await statusesOf(ids);
    await new Promise((resolve) => {
      away.close(resolve);
      away.closeAllConnections();
    });
    const back = createServer((req, res) => {
      // The service again, at the address where it was.
      const target = new URL(req.url ?? '/', stage.api.url);
      const chunks: Buffer[] = [];
      req.on('data', (chunk: Buffer) => chunks.push(chunk));
      req.on('end', () => {
        const signature = String(req.headers['x-hub-signature-256']);
        void fetch(target, {
          method: 'POST',
          headers: { 'x-hub-signature-256': signature },
          body: Buffer.concat(chunks),
        }).then(({ status }) => res.writeHead(status).end());
      });
    });
    await new Promise<void>((resolve) => back.listen(port, '127.0.0.1', resolve));
    await eventually(async () => (await statusesOf(ids)).join() === 'delivered');
    await reach.close();
    await elsewhere.stop();
    back.close();
    back.closeAllConnections();

    expect(meanwhile).toEqual(['sending']);
  });
});
