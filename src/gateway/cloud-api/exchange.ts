import type { Dispatcher } from 'undici';

/** A complete answer. */
export interface Exchanged {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/**
 * One request and its complete answer. The Graph API's answers are short, and a stream for each cost as much as the
 * rest of the request, so the bytes are collected as they come.
 *
 * @param deadlineMs until the last byte of the answer; then it rejects
 */
export function exchange(
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
  deadlineMs: number,
): Promise<Exchanged> {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    let controller: Dispatcher.DispatchController | null = null;
    let late: Error | null = null;
    let status = 0;
    let headers: Exchanged['headers'] = {};
    const chunks: Buffer[] = [];
    const giveUp = (): void => {
      late ??= new Error(`no whole answer within ${deadlineMs} ms`);
      controller?.abort(late);
      reject(late);
    };
    const timer = setTimeout(giveUp, deadlineMs);
    dispatcher.dispatch(options, {
      onRequestStart: (started) => {
        controller = started;
        // Its turn in the queue came too late. A suspended process learns of it here before its timers run.
        if (late || performance.now() - began > deadlineMs) giveUp();
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
        clearTimeout(timer);
        resolve({ status, headers, body: Buffer.concat(chunks).toString() });
      },
      onResponseError: (_controller, error) => {
        clearTimeout(timer);
        reject(error);
      },
    });
  });
}
