import type { Dispatcher } from 'undici';
import { KEPT_BYTES, outcomeOfAnswer, outcomeOfError, type SendOutcome } from './outcome.ts';
import { ConnectionRefusal } from './vetting.ts';

const READ_BYTES = 64 * 1_024;
const BODY_MS = 1_000;
const outOfTime = () => new ConnectionRefusal('timeout', 'no answer in time');

/**
 * One request, from the call to its outcome. It settles exactly once, whatever the receiver does, and after that
 * nothing more is sent or read. It uses undici's dispatch interface, because the promise of `request()` costs as much
 * again as the whole healthy path here, and leaves the deadline to an abort signal.
 */
export class Attempt implements Dispatcher.DispatchHandler {
  readonly outcome: Promise<SendOutcome>;
  readonly #startedAt = performance.now();
  readonly #deadlineMs: number;
  #settle: (outcome: SendOutcome) => void = () => {};
  #settled = false;
  #timer: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | null = null;
  #code: number | null = null;
  #retryAfter: string | string[] | undefined;
  #kept: Buffer[] = [];
  #read = 0;

  constructor(deadlineMs: number) {
    this.outcome = new Promise((resolve) => {
      this.#settle = resolve;
    });
    this.#deadlineMs = deadlineMs;
    this.#timer = setTimeout(() => this.#expire(), deadlineMs);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#settled) controller.abort(new Error('the attempt is over'));
    // A process that was suspended sees its connection before its timer. Nothing may be written late, because others
    // may have taken over its work.
    else if (this.#durationMs() > this.#deadlineMs) this.#finish(outOfTime());
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    code: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (code < 200 || this.#settled) return;
    this.#code = code;
    this.#retryAfter = headers['retry-after'];
    // The status decides from here on; the body is only read for a moment.
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#finish(), BODY_MS);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#settled) return;
    if (this.#read <= KEPT_BYTES) this.#kept.push(chunk);
    this.#read += chunk.length;
    if (this.#read >= READ_BYTES) this.#finish();
  }

  onResponseEnd(): void {
    this.#controller = null;
    this.#finish();
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    this.#controller = null;
    this.#finish(error);
  }

  #durationMs(): number {
    return Math.round(performance.now() - this.#startedAt);
  }

  #expire(): void {
    // In a busy process the answer may already be waiting in the socket: read once more before judging.
    setImmediate(() => {
      if (this.#code === null) this.#finish(outOfTime());
    });
  }

  #finish(error?: Error): void {
    if (this.#settled) return;
    this.#settled = true;
    clearTimeout(this.#timer);
    const durationMs = this.#durationMs();
    this.#settle(
      this.#code === null
        ? outcomeOfError(error ?? new Error('no answer'), durationMs)
        : outcomeOfAnswer({
            code: this.#code,
            kept: this.#kept,
            retryAfter: this.#retryAfter,
            durationMs,
          }),
    );
    this.#kept = [];
    this.#controller?.abort(error ?? new Error('enough was read'));
  }
}
