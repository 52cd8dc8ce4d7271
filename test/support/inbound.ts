import { createHmac } from 'node:crypto';
import pg from 'pg';
import type { BatchDeps } from '../../src/inbound/batch.ts';
import type { InboundCount } from '../../src/inbound/counts.ts';
import { processDue } from '../../src/inbound/processor.ts';
import { createReceiver } from '../../src/inbound/receiver.ts';
import { inboundMount } from '../../src/inbound/routes.ts';
import { createLog } from '../../src/log.ts';
import { type OwnDatabase, openOwnDatabase } from './database.ts';
import { type Reply, serveApi, type TestApi } from './http.ts';

export const APP_SECRET = 'the app secret of the tests';
export const VERIFY_TOKEN = 'a word of our own';
const PATH = '/webhooks/whatsapp';

export interface InboundStage {
  readonly database: OwnDatabase;
  readonly api: TestApi;
  readonly counts: Partial<Record<InboundCount, number>>;
  /** What a processor needs, for tests that run one. */
  readonly options: BatchDeps;
  /** Called when a webhook was stored; `reports` are only of what became of messages. */
  onStored: (news: 'inbound' | 'reports') => void;
  get(query: string): Promise<Reply>;
  /** Posts bytes under a signature of our own making, unless one is given. */
  post(body: string | object, headers?: Record<string, string>): Promise<Reply>;
  /** Processes until nothing is due. */
  process(): Promise<void>;
  /** Makes what waits due now, as if so many seconds had passed since it came. */
  later(seconds: number): Promise<void>;
  stored(): Promise<{ done: boolean; tries: number; error: string | null }[]>;
  /** As the owner of the database, past every policy. */
  owner(text: string): Promise<unknown[]>;
  close(): Promise<void>;
}

export const signatureOf = (body: string, secret = APP_SECRET): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

/** The door for WhatsApp over real HTTP, and its processor, run by hand. */
export async function openInboundStage(
  words = { appSecret: APP_SECRET, verifyToken: VERIFY_TOKEN },
): Promise<InboundStage> {
  const counts: Partial<Record<InboundCount, number>> = {};
  const counter = {
    add: (what: InboundCount, by = 1) => {
      counts[what] = (counts[what] ?? 0) + by;
    },
  };
  const database = await openOwnDatabase();
  const receiver = createReceiver({
    database,
    ...words,
    counts: counter,
    wake: (news) => stage.onStored(news),
  });
  const api = await serveApi(database, { routes: [], mounts: [inboundMount(receiver)] });
  const options: BatchDeps = {
    database,
    clock: { now: () => new Date(), skewMs: 0 },
    counts: counter,
    log: createLog({ level: 'silent', format: 'json' }),
    wake: () => {},
  };
  const stage: InboundStage = {
    database,
    api,
    counts,
    options,
    onStored: () => {},
    get: (query) => api.call('GET', `${PATH}?${query}`),
    post: (body, headers) => {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      return api.call('POST', PATH, {
        body: text,
        headers: { 'x-hub-signature-256': signatureOf(text), ...headers },
      });
    },
    process: async () => {
      while ((await processDue(options)) > 0);
    },
    later: async (seconds) => {
      await database.system.query(
        `update inbound_webhooks set not_before = now(),
           received_at = received_at - $1 * interval '1 second' where processed_at is null`,
        [seconds],
      );
    },
    stored: async () => {
      const { rows } = await database.system.query(
        'select processed_at is not null as done, tries, error from inbound_webhooks order by seq',
      );
      return rows;
    },
    owner: async (text) => {
      const client = new pg.Client({ connectionString: database.url });
      await client.connect();
      const { rows } = await client.query(text);
      await client.end();
      return rows;
    },
    close: async () => {
      await api.close();
      await database.close();
    },
  };
  return stage;
}

const envelope = (phoneNumberId: string, value: object) => ({
  object: 'whatsapp_business_account',
  entry: [
    {
      id: '1',
      changes: [
        { field: 'messages', value: { metadata: { phone_number_id: phoneNumberId }, ...value } },
      ],
    },
  ],
});

const inSeconds = (at: Date): string => String(Math.floor(at.getTime() / 1000));

export interface WireMessage {
  readonly id: string;
  readonly from?: string;
  /** Given for a person who hides the phone. */
  readonly userId?: string;
  readonly text?: string;
  readonly name?: string;
  readonly [field: string]: unknown;
}

/** The webhook of a message from a person; fields beside the named ones go into the message. */
export function aMessageWebhook(phoneNumberId: string, wire: WireMessage): object {
  const { id, from = '5511987654321', userId, text = 'Oi', name = 'Ana', ...fields } = wire;
  return envelope(phoneNumberId, {
    contacts: [{ ...(userId ? { user_id: userId } : { wa_id: from }), profile: { name } }],
    messages: [
      {
        id,
        ...(userId ? { from_user_id: userId } : { from }),
        timestamp: inSeconds(new Date()),
        type: 'text',
        text: { body: text },
        ...fields,
      },
    ],
  });
}

/** WhatsApp's notice that a person has another phone or id. Unlike a message it names no contacts; `from` is the phone before. */
export const aChangeWebhook = (
  phoneNumberId: string,
  { from, ...system }: { readonly from?: string; readonly [field: string]: unknown },
): object => {
  const notice = { id: 'wamid.change', timestamp: inSeconds(new Date()), type: 'system', system };
  return envelope(phoneNumberId, { messages: [{ ...(from && { from }), ...notice }] });
};

export interface WireStatus {
  readonly id: string;
  readonly status: string;
  /** The correlation; left out when undefined. */
  readonly key?: string;
  readonly code?: number;
  /** Now when left out. */
  readonly at?: Date | undefined;
}

export const aStatusWebhook = (phoneNumberId: string, statuses: readonly WireStatus[]): object =>
  envelope(phoneNumberId, {
    statuses: statuses.map(({ id, status, key, code, at = new Date() }) => ({
      id,
      status,
      timestamp: inSeconds(at),
      ...(key === undefined ? {} : { biz_opaque_callback_data: key }),
      ...(code === undefined ? {} : { errors: [{ code, title: 'Not a promise' }] }),
    })),
  });

/** A person stopped or resumed a kind of message in WhatsApp itself. */
export const aPreferenceWebhook = (
  phoneNumberId: string,
  {
    waId,
    userId,
    value,
    category = 'marketing_messages',
    at = new Date(),
  }: {
    readonly waId: string;
    readonly userId?: string;
    readonly value: string;
    readonly category?: string | undefined;
    readonly at?: Date | undefined;
  },
): object => {
  const timestamp = Math.floor(at.getTime() / 1000);
  const person = { wa_id: waId, ...(userId && { user_id: userId }) };
  const preference = { ...person, detail: '', category, value, timestamp };
  const metadata = { phone_number_id: phoneNumberId };
  const told = { metadata, contacts: [{ wa_id: waId }], user_preferences: [preference] };
  const changes = [{ field: 'user_preferences', value: told }];
  return { object: 'whatsapp_business_account', entry: [{ id: '1', changes }] };
};
