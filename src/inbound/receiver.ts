import { hash } from 'node:crypto';
import type { Database } from '../db/database.ts';
import { AppError, unavailable } from '../errors.ts';
import type { InboundCounts } from './counts.ts';
import { storeWebhook } from './queries.ts';
import { isSigned, sameSecret } from './signature.ts';

export interface ReceiverOptions {
  readonly database: Pick<Database, 'system'>;
  readonly appSecret: string;
  readonly verifyToken: string;
  readonly counts: InboundCounts;
  /** Wakes the processors: those of this process directly, others by a notification. */
  readonly wake: (news: 'inbound' | 'reports') => void;
}

/** Receives WhatsApp's webhooks. */
export interface Receiver {
  /** The answer to WhatsApp's handshake: the challenge, as text. 403 without our token. */
  handshake(query: URLSearchParams): string;
  /** Verifies and stores a webhook; resolves once it is stored. Throws 401, 400, 503. */
  receive(raw: Buffer, signature: string | undefined): Promise<void>;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Receives WhatsApp's webhooks: verifies, stores the body as it came, answers. It does not look at the content, so
 * that slow processing never makes WhatsApp repeat itself.
 */
export function createReceiver(options: ReceiverOptions): Receiver {
  const { database, appSecret, verifyToken, counts, wake } = options;
  return {
    handshake: (query) => {
      const fits = sameSecret(query.get('hub.verify_token') ?? '', verifyToken);
      if (query.get('hub.mode') !== 'subscribe' || !fits)
        throw new AppError('forbidden', 'The verify token is not the one of this service.');
      return query.get('hub.challenge') ?? '';
    },
    receive: async (raw, signature) => {
      if (!isSigned(raw, signature, appSecret)) {
        counts.add('refused_signature');
        throw new AppError('unauthorized', 'The signature does not fit the body.');
      }
      const { body, holds } = readText(raw);
      const sha256 = hash('sha256', raw, 'buffer');
      const isNew = await storeWebhook(database.system, sha256, body).catch((cause: unknown) => {
        throw unavailable('The webhook could not be stored.', { cause });
      });
      if (!isNew) return;
      counts.add('stored');
      wake(onlyReports(holds) ? 'reports' : 'inbound');
    },
  };
}

/** Only JSON in UTF-8 can be stored; valid JSON never contains a bare NUL, which PostgreSQL would refuse. */
function readText(raw: Buffer): { body: string; holds: unknown } {
  try {
    const body = utf8.decode(raw);
    return { body, holds: JSON.parse(body) };
  } catch {
    throw new AppError('bad_request', 'The body is not JSON.');
  }
}

/**
 * Whether it contains only status reports, for which no one waits. A wrong guess costs moments, because the reader
 * looks at everything.
 */
function onlyReports(holds: unknown): boolean {
  const changes = listOf(holds, 'entry').flatMap((entry) => listOf(entry, 'changes'));
  return (
    changes.length > 0 &&
    changes.every((change) => {
      const value = partOf(change, 'value');
      return Array.isArray(partOf(value, 'statuses')) && partOf(value, 'messages') === undefined;
    })
  );
}

const partOf = (whole: unknown, name: string): unknown =>
  typeof whole === 'object' && whole !== null ? Reflect.get(whole, name) : undefined;

function listOf(whole: unknown, name: string): readonly unknown[] {
  const list = partOf(whole, name);
  return Array.isArray(list) ? list : [];
}
