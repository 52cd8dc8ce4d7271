import type { Log } from '../../../log.ts';
import type { DueAttempt } from './intake.ts';

const POISON_TRIES = 3;
/** Of these the tries are remembered; more would be of deliveries that others have taken since. */
const REMEMBERED = 10_000;
const SAID_EVERY_MS = 60_000;

/** What is remembered of deliveries that could not be attempted. */
export class Postponed {
  readonly #log: Log;
  readonly #poisoned = new Map<string, number>();
  readonly #said = new Set<string>();
  #saidSince = 0;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Whether one that cannot be sent is tried again. */
  mayRecover({ id }: DueAttempt): boolean {
    const tries = (this.#poisoned.get(id) ?? 0) + 1;
    if (this.#poisoned.size >= REMEMBERED) this.#poisoned.clear();
    this.#poisoned.set(id, tries);
    return tries < POISON_TRIES;
  }

  attempted({ id }: DueAttempt): void {
    this.#poisoned.delete(id);
  }

  /** Once a minute: while a key is missing, all that waits for an endpoint comes here every few seconds. */
  say({ id, endpointId }: DueAttempt, reason: string): void {
    const now = performance.now();
    if (now - this.#saidSince >= SAID_EVERY_MS) {
      this.#said.clear();
      this.#saidSince = now;
    }
    const what = `${endpointId} ${reason}`;
    if (this.#said.has(what)) return;
    this.#said.add(what);
    this.#log.warn(
      { delivery: id, endpoint: endpointId, reason },
      'a webhook could not be attempted and is tried again',
    );
  }
}
