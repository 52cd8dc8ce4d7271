import type { Readable } from 'node:stream';
import { Pool } from 'undici';
import { PER_ADDRESS_MS } from '../../net/connector.ts';
import type { Account } from '../port.ts';
import type { Answer } from './classify.ts';
import { type Exchanged, exchange } from './exchange.ts';

export interface CloudApiOptions {
  /** `https://graph.facebook.com`, or the simulator's address. */
  readonly baseUrl: string;
  /** `v23.0` */
  readonly version: string;
  /** Milliseconds for one send, from connecting to the last byte of the answer. */
  readonly deadlineMs?: number;
}

/** A process's connections to the Graph API. */
export interface GraphClient {
  readonly origin: string;
  /** Rejects if no complete answer came. */
  call(request: GraphRequest): Promise<Answer>;
  close(): Promise<void>;
}

interface GraphRequest {
  readonly method: 'GET' | 'POST';
  /** The path after the version: `/{id}/messages`. */
  readonly path: string;
  readonly accessToken: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Readable;
  /** Instead of the client's own. */
  readonly deadlineMs?: number;
  /** Once aborted, the call is. */
  readonly signal?: AbortSignal | undefined;
}

/** Two full windows of a campaign's sends; one pool serves the whole process, beside the one of uploads. */
const CONNECTIONS = 128;

/** Meta's host of files gives none to callers who do not say who they are. */
export const WHO = { 'user-agent': 'workspace-messaging/1' } as const;

/** To any of Meta's hosts. */
export const CONNECTING = {
  timeout: 5_000,
  autoSelectFamilyAttemptTimeout: PER_ADDRESS_MS,
} as const;

/** Calls give up without a complete answer within `deadlineMs`, 10 seconds by default. */
export function createGraphClient(
  options: CloudApiOptions,
  connections = CONNECTIONS,
): GraphClient {
  const { baseUrl, version, deadlineMs = 10_000 } = options;
  const base = new URL(baseUrl);
  const root = `${base.pathname.replace(/\/$/, '')}/${version}`;
  const pool = new Pool(base.origin, {
    connections,
    allowH2: false,
    // Each call has its own deadline; an upload's is longer than a send's.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { ...CONNECTING, timeout: Math.min(deadlineMs, CONNECTING.timeout) },
  });
  const call = async (request: GraphRequest): Promise<Answer> => {
    const { status, headers, body } = await exchange(
      pool,
      {
        method: request.method,
        path: root + request.path,
        headers: { ...WHO, authorization: `Bearer ${request.accessToken}`, ...request.headers },
        body: request.body ?? null,
      },
      request.deadlineMs ?? deadlineMs,
      request.signal,
    );
    return { status, body, retryAfter: retryAfterOf(headers) };
  };
  return { origin: base.origin, call, close: () => pool.destroy() };
}

function retryAfterOf(headers: Exchanged['headers']): string | null {
  const value = headers['retry-after'];
  return typeof value === 'string' ? value : null;
}

/** A path under an account's or a number's id. */
export const pathOf = ({ id }: Pick<Account, 'id'>, rest = ''): string =>
  `/${encodeURIComponent(id)}${rest}`;
