import { afterAll, beforeAll, expect } from '@jest/globals';
import type { Context } from '../../../../src/context.ts';
import type { Database } from '../../../../src/db/database.ts';
import { formMount } from '../../../../src/forms/page/mount.ts';
import type { BatchDeps } from '../../../../src/inbound/batch.ts';
import { processDue } from '../../../../src/inbound/processor.ts';
import { createReceiver } from '../../../../src/inbound/receiver.ts';
import { inboundMount } from '../../../../src/inbound/routes.ts';
import { createLog } from '../../../../src/log.ts';
import {
  type WebhookEventData,
  type WebhookEventType,
  webhookEvents,
} from '../../../../src/outbox/events.ts';
import { openPatiently, openTestDatabase, type TestDatabase } from '../../../support/database.ts';
import { everyRoute } from '../../../support/every-route.ts';
import { anApiKey } from '../../../support/factories/api-keys.ts';
import { aNumber, testKeyring } from '../../../support/factories/numbers.ts';
import { aWorkspace } from '../../../support/factories/workspaces.ts';
import { type Reply, serveApi, type TestApi } from '../../../support/http.ts';
import { APP_SECRET, signatureOf, VERIFY_TOKEN } from '../../../support/inbound.ts';
import { rowsOf } from '../../../support/rows-of.ts';
import { asOwner } from './refusing.ts';

/** What one test file plays on: the whole API, the public pages and WhatsApp's door over one database. */
interface Scene {
  files: TestDatabase;
  database: Database;
  api: TestApi;
}

/** A workspace with a key and a number, and what its customers are told. */
export interface Shop {
  readonly ctx: Context;
  readonly key: string;
  readonly numberId: string;
  readonly phoneNumberId: string;
  /** As the key, unless another token is given. */
  call(method: string, path: string, body?: object, headers?: Call): Promise<Reply>;
  rows<R>(text: string, params?: readonly unknown[]): Promise<R[]>;
  /** The data of every event of a type so far, each held against the catalogue, in order. */
  events<T extends WebhookEventType>(type: T): Promise<WebhookEventData<T>[]>;
}

export interface Call {
  readonly key?: string;
  readonly idempotencyKey?: string;
}

interface Kept {
  readonly id: string;
  readonly payload: string;
}

export function eventScene() {
  const scene = {} as Scene;
  let options: BatchDeps;

  beforeAll(async () => {
    scene.files = await openTestDatabase();
    scene.database = await openPatiently({ url: scene.files.url });
    const clock = { now: () => new Date(), skewMs: 0 };
    const parts = { database: scene.database, wake: () => {}, clock };
    const counts = { add: () => {} };
    const words = { appSecret: APP_SECRET, verifyToken: VERIFY_TOKEN };
    options = { ...parts, counts, log: createLog({ level: 'silent', format: 'json' }) };
    scene.api = await serveApi(scene.database, {
      routes: everyRoute,
      keyring: testKeyring,
      mounts: [
        inboundMount(
          createReceiver({ database: scene.database, ...words, counts, wake: () => {} }),
        ),
        formMount({ ...parts, keyring: testKeyring }),
      ],
    });
  });
  afterAll(async () => {
    await scene.api.close();
    await scene.database.close();
    await scene.files.close();
  });

  async function aShop(): Promise<Shop> {
    const { database, api } = scene;
    const { ctx } = await aWorkspace(database);
    const { key } = await anApiKey(ctx);
    const number = await aNumber(ctx);
    const rows = <R>(text: string, params: readonly unknown[] = []) => rowsOf<R>(ctx, text, params);
    return {
      ctx,
      key,
      numberId: number.id,
      phoneNumberId: number.phoneNumberId ?? '',
      rows,
      call: (method, path, body, { key: other = key, idempotencyKey } = {}) =>
        api.call(method, `/api/v1${path}`, {
          key: other,
          body,
          headers: idempotencyKey ? { 'idempotency-key': idempotencyKey } : {},
        }),
      events: async (type) => {
        const kept = await rows<Kept>(
          `select id, payload from facts where is_event and type = $1
           union all select id, body from events where type = $1 order by id`,
          [type],
        );
        return kept.map((fact) => checked(ctx, type, fact));
      },
    };
  }

  /** WhatsApp's webhook, stored and processed until nothing is due. */
  async function arrives(webhook: object | string): Promise<void> {
    const body = typeof webhook === 'string' ? webhook : JSON.stringify(webhook);
    const headers = { 'x-hub-signature-256': signatureOf(body) };
    const { status } = await scene.api.call('POST', '/webhooks/whatsapp', { body, headers });
    expect(status).toBe(200);
    await processed();
  }

  async function processed(): Promise<void> {
    while ((await processDue(options)) > 0);
  }

  /** What failed is tried again now, and not later. */
  async function processedAgain(): Promise<void> {
    await scene.database.system.query(
      'update inbound_webhooks set not_before = now() where processed_at is null',
    );
    await processed();
  }

  /** As the owner of the database, past every policy. */
  const owner = (text: string): Promise<void> => asOwner(scene.files.url, text);

  return { scene, aShop, arrives, processedAgain, owner };
}

/** The envelope of the specification around data that the catalogue knows to the last key. */
function checked<T extends WebhookEventType>(
  { organizationId }: Context,
  type: T,
  { id, payload }: Kept,
): WebhookEventData<T> {
  const { data, ...envelope } = JSON.parse(payload);
  expect(envelope).toEqual({
    id,
    type,
    version: 1,
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    organization_id: organizationId,
  });
  expect(id).toMatch(/^evt_[0-9A-Z]{26}$/);
  expect(webhookEvents[type].parse(data)).toEqual(data);
  return data;
}
