import { Agent } from 'undici';
import { Attempt } from './attempt.ts';
import { createConnector } from './connector.ts';
import type { SendOutcome } from './outcome.ts';
import { createResolver, type Resolver } from './resolver.ts';
import { createVetting } from './vetting.ts';

interface SafeRequest {
  /** Canonical absolute URL, as it was checked and stored. */
  url: string;
  headers: Record<string, string>;
  /** Sent byte for byte. */
  body: Buffer | string;
}

interface AnyRequest extends Omit<SafeRequest, 'body'> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  body: Buffer | string | null;
  /** A shorter deadline for this request. */
  timeoutMs: number;
}

/** The only way out to addresses chosen by customers; it never reaches our own, whatever their names resolve to. */
export interface SafeSender {
  /** Posts once and never rejects; follows no redirect, repeats nothing, decompresses nothing. */
  post(request: SafeRequest): Promise<SendOutcome>;
  /** Sends once with any method, by the rules of `post`. */
  request(request: AnyRequest): Promise<SendOutcome>;
  /** Waits for requests in flight, then closes every connection. */
  close(): Promise<void>;
}

interface SafeSenderOptions {
  /** Origins the operator vouches for: any address, plain http allowed. Exact match. */
  trustedOrigins: readonly string[];
  /** One deadline for lookup, connect, TLS and the answer's head. Default 10,000. */
  deadlineMs?: number;
  /** How long a connection may be used before its host is vetted again. Default 30,000. */
  reuseMs?: number;
  /** Names that always resolve if our resolver works. */
  controlNames?: readonly string[];
  resolve?: Resolver;
  /** Which addresses count as public; by default as in `addresses.ts`. */
  isPublic?: (address: string) => boolean;
  /** A certificate authority (PEM) to trust instead of the system's. */
  ca?: string;
}

interface Target {
  origin: string;
  path: string;
}

const DEADLINE_MS = 10_000;
const REUSE_MS = 30_000;
/** A busy process runs its timers late, by less than this. */
const CONNECT_MARGIN_MS = 50;
const REMEMBERED_URLS = 10_000;

/** Parsing costs more than the rest of the call, and endpoints are few. */
function targetMemory(): (url: string) => Target {
  const known = new Map<string, Target>();
  return (url) => {
    const found = known.get(url);
    if (found) return found;
    const { origin, pathname, search } = new URL(url);
    const target = { origin, path: pathname + search };
    if (known.size >= REMEMBERED_URLS) known.clear();
    known.set(url, target);
    return target;
  };
}

function createAgent(options: SafeSenderOptions, deadlineMs: number): Agent {
  const trusted = new Set(options.trustedOrigins.map((origin) => new URL(origin).origin));
  // The lookup and, if it fails, the control lookup both fit into the deadline.
  const resolve = options.resolve ?? createResolver({ timeoutMs: Math.ceil(deadlineMs * 0.4) });
  const vet = createVetting({
    resolve,
    controlNames: options.controlNames ?? ['example.com', 'cloudflare.com'],
    ...(options.isPublic ? { isPublic: options.isPublic } : {}),
  });
  const reuseMs = options.reuseMs ?? REUSE_MS;
  return new Agent({
    allowH2: false,
    pipelining: 1,
    // No limit per origin: the caller limits what is in flight, and a request waiting for a connection here would use
    // up its receiver's ten seconds.
    clientTtl: reuseMs,
    keepAliveMaxTimeout: reuseMs,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: createConnector({
      isTrusted: (origin) => trusted.has(origin),
      vet,
      // Slightly before the attempt's own deadline, so that the attempt learns what stalled.
      timeoutMs: deadlineMs - CONNECT_MARGIN_MS,
      ca: options.ca,
    }),
  });
}

/**
 * Creates the only way out to addresses chosen by customers (specification, "Receiving rules"; protects against
 * server-side request forgery). One per process. Connections are kept for at most 30 s, and each new one is vetted
 * again.
 */
export function createSafeSender(options: SafeSenderOptions): SafeSender {
  const deadlineMs = options.deadlineMs ?? DEADLINE_MS;
  const agent = createAgent(options, deadlineMs);
  const targetOf = targetMemory();
  let closing: Promise<void> | undefined;

  function request({ url, method, headers, body, timeoutMs }: AnyRequest) {
    const attempt = new Attempt(Math.min(timeoutMs, deadlineMs));
    try {
      const { origin, path } = targetOf(url);
      agent.dispatch({ origin, path, method, headers, body }, attempt);
    } catch (error) {
      attempt.onResponseError(null, error as Error);
    }
    return attempt.outcome;
  }

  return {
    post: (wanted) => request({ ...wanted, method: 'POST', timeoutMs: deadlineMs }),
    request,
    close: () => {
      closing ??= agent.close();
      return closing;
    },
  };
}
