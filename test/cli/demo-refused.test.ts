import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { writeRunFile } from '../../src/embedded/run-file.ts';
import { ownPort } from '../support/ports.ts';
import { openShell, type Said, SHELL_KEYS, type Shell } from '../support/shell.ts';

/** Answers in the place of the service, which would have to be in trouble for each of these. */
let answer: (call: string, response: ServerResponse) => void;
const service = createServer((request, response) =>
  answer(`${request.method} ${request.url}`, response),
);
let shell: Shell;
let port: string;

const asJson = (response: ServerResponse, status: number, body: unknown): void =>
  void response.writeHead(status).end(JSON.stringify(body));

beforeAll(async () => {
  shell = await openShell();
  port = String(await ownPort());
  service.listen(0, '127.0.0.1');
  await once(service, 'listening');
  writeRunFile(shell.dataDir, {
    pid: process.pid,
    baseUrl: `http://127.0.0.1:${(service.address() as AddressInfo).port}`,
    databaseUrl: shell.databaseUrl,
    encryptionKeys: SHELL_KEYS,
    temporalAddress: '127.0.0.1:9',
    temporalNamespace: 'elsewhere',
    temporalUiUrl: 'http://127.0.0.1:9/ui',
    simulatorUrl: null,
    demo: { workspaceId: 'org_none', numberId: 'num_none', apiKey: 'sk_live_none' },
  });
});
beforeEach(() => {
  answer = (_call, response) => asJson(response, 200, { id: 'any_1', data: [] });
});
afterAll(async () => {
  service.close();
  await shell.close();
});

const demo = (): Promise<Said> => shell.wmsAnywhere('demo', '--port', port);

it('wms demo says in one line what the service refused, and why', async () => {
  const error = { code: 'quota', message: 'The plan has room for no more contacts.' };
  answer = (_call, response) => asJson(response, 409, { error });

  const told = await demo();

  expect([told.code, told.err]).toEqual([
    1,
    'POST /v1/contacts was refused: The plan has room for no more contacts. (quota)\n',
  ]);
});

it('wms demo says in one line that something else than the service answers', async () => {
  answer = (_call, response) => void response.writeHead(502).end('<h1>Bad gateway</h1>');

  const told = await demo();

  expect(told.err).toMatch(/^http:\S+ answers POST \/v1\/contacts with 502 and no JSON\. .*\n$/);
});

it('wms demo names why its campaign was paused, and the way back', async () => {
  const paused = {
    id: 'cmp_1',
    status: 'paused',
    pause_reason: 'number_unavailable',
    results: { sent: 0, delivered: 0, read: 0, failed: 0, pending: 40, sending: 0 },
  };
  const secret = `whsec_${Buffer.alloc(24).toString('base64')}`;
  answer = (call, response) => {
    const body = call.includes('/campaigns') ? paused : { id: 'any_1', secret, data: [] };
    asJson(response, 200, body);
  };

  const told = await demo();

  expect(told.err).toMatch(/^The campaign is paused \(number_unavailable\); .*\n$/);
  expect(told.err).toContain('/v1/campaigns/cmp_1/resume');
});

it('with the address of the running service goes its Temporal namespace', async () => {
  const { json } = await shell.wmsAnywhere('ops', 'links', '--json');

  expect(json[0].url).toMatch(/^http:\/\/127\.0\.0\.1:9\/ui\/namespaces\/elsewhere\//);
});
