import { apiError, ConnectionFailed, IDEMPOTENCY_KEY } from './errors.ts';

export interface RetryOptions {
  /** Tries of one call, the first one included. 1 switches retries off. Default 4. */
  readonly tries?: number;
  /** Milliseconds before the second try, doubled for each one after it. Default 500. */
  readonly firstWaitMs?: number;
  /** The longest wait. A `Retry-After` beyond it ends the call. Default 65,000: the service asks for 61 seconds at most. */
  readonly maxWaitMs?: number;
  /** Milliseconds for one try, and ten times as many while a file is on its way. Default 30,000. */
  readonly timeoutMs?: number;
}

type Fetch = (request: Request) => Promise<Response>;

const DEFAULTS = { tries: 4, firstWaitMs: 500, maxWaitMs: 65_000, timeoutMs: 30_000 };
/** The service was not reached, was away, or asked to slow down. */
const PASSING = new Set([429, 502, 503, 504]);

/**
 * A `fetch` that tries again what may pass: lost connections, 429, 502, 503, 504, and 409
 * `idempotency_in_progress`. Calls that change something carry one Idempotency-Key over all their tries, so
 * they take effect once. Throws `ApiError` and `ConnectionFailed`.
 */
export function retrying(send: Fetch, options: RetryOptions = {}): Fetch {
  const settings = { ...DEFAULTS, ...options };
  return async (request) => {
    const call = withKey(request);
    for (let made = 1; ; made += 1) {
      const outcome = await once(send, call, settings.timeoutMs);
      if (outcome instanceof Response && outcome.ok) return outcome;
      const wait = await waitFor(outcome, call, made, settings);
      if (wait === null) throw await failure(outcome, call);
      await sleep(wait, call.signal);
    }
  };
}

function withKey(request: Request): Request {
  if (request.method === 'GET' || request.method === 'HEAD') return request;
  if (!request.headers.has(IDEMPOTENCY_KEY))
    request.headers.set(IDEMPOTENCY_KEY, crypto.randomUUID());
  return request;
}

interface Lost {
  readonly cause: unknown;
}

/** 100 MB take minutes where an answer takes a moment: so many times longer. */
const FILE_FACTOR = 10;

/**
 * A request that nobody holds is collected, and what its signal says then no longer reaches the answer that is
 * still on its way (Node.js, undici): an answer's body keeps what may end it.
 */
const keptWith = new WeakMap<ReadableStream, readonly [Request, Request, AbortSignal]>();

async function once(send: Fetch, call: Request, timeoutMs: number): Promise<Response | Lost> {
  const fileMs = timeoutMs * FILE_FACTOR;
  const late = new AbortController();
  const brings = call.headers.get('content-type')?.startsWith('multipart/') === true;
  const timer = setTimeout(() => late.abort(), brings ? fileMs : timeoutMs);
  const signal = AbortSignal.any([call.signal, late.signal, AbortSignal.timeout(fileMs)]);
  const attempt = new Request(call.clone(), { signal });
  try {
    const response = await send(attempt);
    if (response.body) keptWith.set(response.body, [call, attempt, signal]);
    return response.ok && bringsFile(call) ? response : await whole(response);
  } catch (cause) {
    // Whoever calls gave up: that is not for us to try again.
    call.signal.throwIfAborted();
    return { cause };
  } finally {
    clearTimeout(timer);
  }
}

/** Whether its answer is a file's bytes, of whatever type. */
export const bringsFile = ({ url }: Request): boolean => new URL(url).pathname.endsWith('/content');

/** The body belongs to the try: one that breaks off is asked for again. */
async function whole(response: Response): Promise<Response> {
  if (response.body === null) return response;
  const { status, statusText, headers } = response;
  return new Response(await response.arrayBuffer(), { status, statusText, headers });
}

/** Milliseconds until the next try, or null when there is none. */
async function waitFor(
  outcome: Response | Lost,
  call: Request,
  made: number,
  { tries, firstWaitMs, maxWaitMs }: typeof DEFAULTS,
): Promise<number | null> {
  if (made >= tries) return null;
  // Half of it by chance, so that many clients do not come back at once.
  const backoff = Math.min(firstWaitMs * 2 ** (made - 1), maxWaitMs) * (0.5 + Math.random() / 2);
  if (!(outcome instanceof Response)) return backoff;
  if (!PASSING.has(outcome.status) && !(await isStillRunning(outcome, call))) return null;
  const asked = askedWait(outcome.headers.get('retry-after'));
  if (asked === null) return backoff;
  return asked > maxWaitMs ? null : Math.max(asked, backoff);
}

/** The first try of this very call has not ended: its answer will be repeated. */
async function isStillRunning(response: Response, call: Request): Promise<boolean> {
  if (response.status !== 409) return false;
  return (await apiError(response.clone(), call)).code === 'idempotency_in_progress';
}

/** `Retry-After` is a number of seconds, or a date. */
function askedWait(value: string | null): number | null {
  if (value === null) return null;
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}

const failure = (outcome: Response | Lost, call: Request): Promise<Error> | Error =>
  outcome instanceof Response ? apiError(outcome, call) : new ConnectionFailed(call, outcome.cause);

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal.addEventListener('abort', abort, { once: true });
  });
}
