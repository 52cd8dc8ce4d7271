import type { Dispatcher } from 'undici';

/** A whole answer, read to its end. */
export interface Exchanged {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/**
 * One request and its whole answer. Answers of the Graph API are short, and a stream for each of them cost as
 * much as the rest of the request, so their bytes are gathered as they come.
 *
 * @param deadlineMs from here to the last byte of the answer; then it rejects.
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
        // Its turn in the queue came too late; a process that stood still hears so before its timers do.
        if (late || performance.now() - began > deadlineMs) giveUp();
      },
      onResponseStart: (_controller, statusCode, received) => {
        // 1xx: the answer itself is still to come.
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
