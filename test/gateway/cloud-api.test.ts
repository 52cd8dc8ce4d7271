import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type CloudApiGateway,
  createCloudApiGateway,
} from '../../src/gateway/cloud-api/gateway.ts';
import type { OutgoingMessage, SendResult, TemplateContent } from '../../src/gateway/port.ts';
import { type Simulator, startSimulator } from '../../src/simulator/simulator.ts';
import { setFaults } from '../support/faults.ts';

let simulator: Simulator;
let gateway: CloudApiGateway;

beforeAll(async () => {
  simulator = await startSimulator({
    port: 0,
    callbackUrl: 'http://127.0.0.1:9/webhooks/whatsapp',
    appSecret: 'a secret of the tests',
  });
  gateway = createCloudApiGateway({ baseUrl: simulator.url, version: 'v23.0', deadlineMs: 10_000 });
});
afterAll(async () => {
  await gateway.close();
  await simulator.stop();
});
beforeEach(() => faults({}));

function faults(wanted: object): Promise<void> {
  return setFaults(simulator, { status_webhooks: false, ...wanted });
}

let sends = 0;
function send(wishes: Partial<OutgoingMessage> = {}, by = gateway): Promise<SendResult> {
  sends += 1;
  return by.send({
    phoneNumberId: '1234567890',
    accessToken: 'token',
    to: '+5511982000001',
    text: 'Oi! ✨',
    correlation: `msg_${sends}`,
    ...wishes,
  });
}

const ending = (digits: string): string => `+551198${digits}`;

describe('the Cloud API adapter', () => {
  it('sends the text to the person, with our correlation', async () => {
    const result = await send({ text: 'Olá "você"\n✨' });

    const entry = simulator.ledger().at(-1);
    expect(result).toEqual({ kind: 'accepted', providerId: entry?.wamid });
    expect(entry).toMatchObject({
      phone_number_id: '1234567890',
      to: '5511982000001',
      text: 'Olá "você"\n✨',
      key: `msg_${sends}`,
    });
  });

  it.each([
    ['0131026', { kind: 'refused', reason: 'no_whatsapp', providerCode: 131026 }],
    ['0131047', { kind: 'refused', reason: 'out_of_window', providerCode: 131047 }],
    ['0130429', { kind: 'throttled', scope: 'number', retryAfterMs: 1_000 }],
    ['0131056', { kind: 'throttled', scope: 'recipient' }],
    ['0131000', { kind: 'throttled', scope: 'recipient', reason: 'provider_error' }],
    ['0131048', { kind: 'halted', cause: 'spam_limit' }],
    ['0000100', { kind: 'refused', reason: 'policy', providerCode: 100 }],
    ['0000190', { kind: 'halted', cause: 'disconnected' }],
    ['0131031', { kind: 'halted', cause: 'suspended' }],
    ['0000368', { kind: 'halted', cause: 'suspended' }],
  ])('tells what a refusal of %s means', async (digits, expected) => {
    expect(await send({ to: ending(digits) })).toMatchObject(expected);
  });

  it.each<[string, TemplateContent, object]>([
    [
      'in their order',
      { name: 'pedido_pronto', language: 'pt_BR', parameters: ['Ana', '7'] },
      { kind: 'accepted' },
    ],
    [
      'by their names',
      {
        name: 'consulta',
        language: 'pt_BR',
        parameters: ['Ana', 'terça'],
        names: ['nome', 'dia'],
      },
      { kind: 'accepted' },
    ],
    [
      'without names that it has',
      { name: 'consulta', language: 'pt_BR', parameters: ['Ana', 'terça'] },
      { kind: 'refused', providerCode: 100 },
    ],
    [
      'too few',
      { name: 'pedido_pronto', language: 'pt_BR', parameters: ['Ana'] },
      { kind: 'refused', reason: 'template_invalid', providerCode: 132000 },
    ],
  ])('fills a template with its parameters %s', async (_, template, expected) => {
    expect(await send({ text: '', template })).toMatchObject(expected);
  });

  it('does not know what became of a message whose connection was cut after it was taken', async () => {
    await faults({ drop_after_accept_rate: 1 });

    expect(await send()).toMatchObject({ kind: 'unknown' });
    expect(simulator.ledger().at(-1)?.wamid).not.toBeNull();
  });

  it('gives up on an answer at its deadline, and frees the place', async () => {
    await faults({ hang_after_accept: true });
    const impatient = createCloudApiGateway({
      baseUrl: simulator.url,
      version: 'v23.0',
      deadlineMs: 5_000,
    });
    const begun = performance.now();

    const result = await send({}, impatient);
    await impatient.close();

    expect(result).toMatchObject({ kind: 'unknown' });
    expect(performance.now() - begun).toBeLessThan(30_000);
  });

  it('knows that nothing was sent of what found no connection before its deadline, and sends it no more', async () => {
    await faults({ hang_after_accept: true });
    const impatient = createCloudApiGateway({
      baseUrl: simulator.url,
      version: 'v23.0',
      deadlineMs: 3_000,
    });
    const keys = Array.from({ length: 140 }, (_, n) => `waiting_${n}`);

    const results = await Promise.all(
      keys.map((correlation) => send({ correlation }, impatient).then(({ kind }) => kind)),
    );
    await faults({});
    const last = await send({}, impatient);
    await impatient.close();

    const unsent = keys.filter((_, n) => results[n] === 'throttled');
    expect(unsent.length).toBeGreaterThanOrEqual(140 - 128);
    expect(new Set(results)).toEqual(new Set(['unknown', 'throttled']));
    expect(last).toMatchObject({ kind: 'accepted' });
    expect(simulator.ledger().filter(({ key }) => key && unsent.includes(key))).toEqual([]);
  });

  it('knows that nothing was sent while nobody listens', async () => {
    const nobody = createCloudApiGateway({ baseUrl: 'http://127.0.0.1:1', version: 'v23.0' });

    const result = await send({}, nobody);
    await nobody.close();

    expect(result).toMatchObject({ kind: 'throttled', scope: 'number' });
  });

  it('takes an answer that is no HTTP as unknown', async () => {
    const server = net.createServer((socket) => {
      socket.once('data', () => socket.end('what?\r\n'));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const odd = createCloudApiGateway({ baseUrl, version: 'v23.0', deadlineMs: 10_000 });

    const result = await send({}, odd);
    await odd.close();
    server.close();

    expect(result).toMatchObject({ kind: 'unknown' });
  });
});
