import type { Dispatcher } from 'undici';

/** A complete answer. */
export interface Exchanged {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** What has waited this much of its deadline for a connection is not begun: the rest is too short for an answer. */
const LATEST_START = 1 / 2;

/**
 * One request and its complete answer. The Graph API's answers are short, and a stream for each cost as much as the
 * rest of the request, so the bytes are collected as they come.
 *
 * @param deadlineMs until the last byte of the answer; then it rejects
 * @param signal aborted, it rejects at once
 * @returns rejects with the code `NOT_STARTED` if not even the first byte of the request was written
 */
export function exchange(
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
  deadlineMs: number,
  signal?: AbortSignal,
): Promise<Exchanged> {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    let controller: Dispatcher.DispatchController | null = null;
    let late: Error | null = null;
    let status = 0;
    let headers: Exchanged['headers'] = {};
    const chunks: Buffer[] = [];
    const giveUp = (why = `no whole answer within ${deadlineMs} ms`): Error => {
      late ??= controller ? new Error(why) : notStarted('no connection was free in time');
      controller?.abort(late);
      reject(late);
      return late;
    };
    const stop = (): unknown => giveUp('the caller stopped the call');
    const timer = setTimeout(() => giveUp(), deadlineMs);
    const over = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
    };
    if (signal?.aborted) stop();
    signal?.addEventListener('abort', stop);
    dispatcher.dispatch(options, {
      // Called before anything is written, and nothing is where it aborts.
      onRequestStart: (started) => {
        // A suspended process learns of it here before its timers run.
        if (late || performance.now() - began > deadlineMs * LATEST_START) started.abort(giveUp());
        else controller = started;
      },
      onResponseStart: (_controller, statusCode, received) => {
        // 1xx: the final answer is still to come.
        if (statusCode < 200) return;
        status = statusCode;
        headers = received;
      },
      onResponseData: (_controller, chunk) => {
        chunks.push(chunk);
      },
      onResponseEnd: () => {
        over();
        resolve({ status, headers, body: Buffer.concat(chunks).toString() });
      },
      onResponseError: (_controller, error) => {
        over();
        // Whatever broke before the request's turn, as a TLS handshake does with the codes of any reset, wrote nothing.
        reject(controller ? error : notStarted(error.message, error));
      },
    });
  });
}

const notStarted = (message: string, cause?: Error): Error =>
  Object.assign(new Error(message, { cause }), { code: 'NOT_STARTED' });

/** What a body says; null if it is no JSON. */
export function jsonOf(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}
