import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { createKeyring } from '../../src/crypto/keyring.ts';
import { SEALED_COLUMNS, SHARED_COLUMNS } from '../../src/crypto/sealed.ts';
import { openDatabase } from '../../src/db/database.ts';
import { addNumber } from '../../src/numbers/service.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { devServer } from '../support/env.ts';
import { everythingStored, type Stored } from '../support/everything-stored.ts';
import { anApiKey } from '../support/factories/api-keys.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { openProcesses, type Processes, type Service } from '../support/processes/processes.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { eventually } from '../support/waiting.ts';

const TASK_QUEUE = `secrets-${randomBytes(6).toString('hex')}`;
const TOKEN = `EAA${randomBytes(20).toString('hex')}`;
const PHONE = '5511982345678';
const TEXT = `palavra-${randomBytes(8).toString('hex')}`;
const NAME = `Fulana ${randomBytes(4).toString('hex')}`;

let files: TestDatabase;
let receiver: Receiver;
let processes: Processes;
let service: Service;
let connection: Connection;
/** What nobody may find anywhere, by what it is. */
const secrets = new Map<string, string>([["the number's token", TOKEN]]);
let stored: Stored[];
let histories: string;
let endpointId: string;

/** Everything that can be told about the workflows, their payloads read. */
async function workflowsAsText(client: Client): Promise<string> {
  const readable = function (this: Record<string, unknown>, key: string, value: unknown): unknown {
    const original = this[key];
    return original instanceof Uint8Array ? Buffer.from(original).toString() : value;
  };
  const texts: string[] = [];
  for await (const run of client.workflow.list({ query: `TaskQueue = '${TASK_QUEUE}'` })) {
    const handle = client.workflow.getHandle(run.workflowId, run.runId);
    texts.push(JSON.stringify([run.raw, await handle.fetchHistory()], readable));
  }
  return texts.join('\n');
}

async function call(key: string, method: string, path: string, body?: unknown) {
  const response = await fetch(`${service.baseUrl}/api/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      'idempotency-key': `${path.replaceAll('/', '-')}-once`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: JSON.parse((await response.text()) || 'null') };
}

/** Endpoints are made and rotated, a message goes to somebody, its event fails and is delivered in the end. */
beforeAll(async () => {
  files = await openTestDatabase();
  receiver = await startReceiver();
  processes = await openProcesses({
    databaseUrl: files.url,
    temporalAddress: devServer().address,
    trustedOrigins: [receiver.origin],
    environment: {
      BACKOFF_SCALE: '0.01',
      LOG_LEVEL: 'trace',
      TEMPORAL_TASK_QUEUE: TASK_QUEUE,
    },
  });
  const database = await openDatabase({ url: files.url, poolSize: 2 });
  const { ctx } = await aWorkspace(database);
  const { key } = await anApiKey(ctx);
  const number = await addNumber(
    ctx,
    { name: 'Vendas', phone: '+5511960000001', provider: 'sandbox', accessToken: TOKEN },
    createKeyring(processes.encryptionKeys),
  );
  await database.close();
  service = await processes.start('api,worker');

  let failures = 3;
  receiver.answer = ({ path }) => {
    if (path !== '/hooks') return { status: 0 };
    failures -= 1;
    return { status: failures < 0 ? 200 : 500, body: 'not now' };
  };
  const events = ['message.sent', 'contact.created'];
  const wish = { name: 'Loja', url: `${receiver.origin}/hooks`, events };
  const made = await call(key, 'POST', '/webhooks', wish);
  expect(await call(key, 'POST', '/webhooks', wish)).toEqual(made);
  endpointId = made.body.id;
  const rotated = await call(key, 'POST', `/webhooks/${endpointId}/rotate`);
  secrets.set('the API key', key);
  secrets.set('the first webhook secret', made.body.secret);
  secrets.set('the second webhook secret', rotated.body.secret);
  secrets.set('the encryption key', processes.encryptionKeys.split(':')[1] ?? '');
  await call(key, 'POST', '/contacts', { name: NAME, phone: `+${PHONE}` });
  await call(key, 'POST', '/messages', { number_id: number.id, phone: `+${PHONE}`, text: TEXT });
  await call(key, 'POST', '/messages', { number_id: key, phone: rotated.body.secret, text: TEXT });
  await call(key, 'GET', `/contacts?search=${PHONE}&token=${key}`);

  connection = await Connection.connect({ address: devServer().address });
  const client = new Client({ connection });
  const upkeep = { taskQueue: TASK_QUEUE, workflowId: `rotate-${TASK_QUEUE}` };
  await client.workflow.execute('rotateKeys', upkeep);
  const sent = () =>
    receiver.received.filter(({ body }) => body.includes(TEXT) || body.includes(NAME)).length;
  await eventually(() => failures < -1 && sent() > 4);
  const ended = async (): Promise<boolean> =>
    (
      await client.workflow.count(
        `TaskQueue = '${TASK_QUEUE}' and WorkflowType = 'deliverWebhook' and ExecutionStatus = 'Completed'`,
      )
    ).count >= 1;
  await eventually(ended);
  histories = await workflowsAsText(client);
  stored = await everythingStored(files.url);
});
afterAll(async () => {
  await processes.close();
  await connection.close();
  await receiver.close();
  await files.close();
});

/** A secret without what is not secret about it, and its other spellings. */
function spellings(secret: string): string[] {
  const bare = secret.replace(/^(whsec_|sk_live_)/, '');
  const bytes = Buffer.from(bare, 'base64');
  return [
    bare,
    encodeURIComponent(bare),
    Buffer.from(secret).toString('base64').slice(4, -4),
    bytes.toString('hex'),
  ];
}

const found = (text: string): string[] =>
  [...secrets].flatMap(([what, secret]) =>
    spellings(secret).some((spelling) => text.includes(spelling)) ? [what] : [],
  );

const personal = [PHONE, PHONE.slice(-8), TEXT, NAME];
const PREFIXES = /whsec_\w|sk_live_\w/;

/** Temporal's own lines hold payloads as base64. */
const decoded = (log: string): string =>
  log +
  [...log.matchAll(/"data":"([\w+/]+=*)"/g)]
    .map(([, data]) => Buffer.from(data ?? '', 'base64'))
    .join('\n');

describe('what is secret', () => {
  it('is known to this test, and would be found', () => {
    expect([...secrets.values()].filter((secret) => secret.length < 30)).toEqual([]);
    expect(found(`x ${[...secrets.values()].join(' ')} y`)).toEqual([...secrets.keys()]);
  });

  it('is in no value of any table', () => {
    expect(stored.filter(({ value }) => found(value).length > 0)).toEqual([]);
    expect(stored.filter(({ value }) => /whsec_|sk_live_[0-9a-f]{12}/.test(value))).toEqual([]);
    expect(stored.some(({ value }) => value === endpointId)).toBe(true);
    expect(stored.some(({ value }) => value.includes(TEXT))).toBe(true);
  });

  it('is encrypted in the columns that are listed, and in no other', () => {
    const sealed = stored.filter(({ value }) => /^v1\|[\w-]{1,32}\|/.test(value));

    expect([...new Set(sealed.map(({ where }) => where))].sort()).toEqual(
      [...SEALED_COLUMNS, ...SHARED_COLUMNS]
        .map(({ table, column }) => `${table}.${column}`)
        .sort(),
    );
  });

  it('is in no log at any level, nor is whom a message was for or what it said', () => {
    const log = decoded(service.said());

    expect(found(log)).toEqual([]);
    expect(personal.filter((text) => log.includes(text))).toEqual([]);
    expect(PREFIXES.exec(log)).toBeNull();
    const heard = ['request served', 'Workflow completed', endpointId];
    expect(heard.filter((text) => !log.includes(text))).toEqual([]);
  });

  it('is in no workflow’s history, list or summary, nor is anybody’s phone, name or text', () => {
    expect(found(histories)).toEqual([]);
    expect(personal.filter((text) => histories.includes(text))).toEqual([]);
    expect(PREFIXES.exec(histories)).toBeNull();
    const told = ['deliverWebhook', 'rotateKeys', endpointId];
    expect(told.filter((text) => !histories.includes(text))).toEqual([]);
  });
});
