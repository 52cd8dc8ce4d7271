import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, inWorkspace, sqlOver } from '../../../db/database.ts';
import type { Sql } from '../../../db/sql.ts';
import { messageOf } from '../../../errors.ts';
import { presentTokens } from '../../../relay/processes/presence.ts';
import {
  type Answered,
  type HeldDelivery,
  holdersOf,
  type ListenerRef,
  putBack,
  recordAnswer,
  releaseHeld,
  takeHeld,
} from '../../../webhooks/listeners/queue.ts';
import { noteHeard } from '../../../webhooks/listeners/service.ts';
import type { AttemptOutcome, WebhookSender } from '../../../webhooks/signing/sender.ts';
import { CommandError } from '../../output.ts';
import { takesConnections } from './target.ts';

export interface ForwardingParts {
  readonly database: Pick<Database, 'app' | 'system'>;
  readonly listener: ListenerRef;
  readonly url: string;
  readonly sender: WebhookSender;
  /** Called after each attempt. */
  readonly onAnswer: (delivery: HeldDelivery, answered: Answered) => void;
  /** Called when forwarding becomes blocked, with the reason, and when it is possible again. */
  readonly onTrouble: (sentence: string) => void;
}

const POLL_MS = 250;
const AGAIN_MS = 2_000;
const HEARD_EVERY_MS = 5_000;
/**
 * After Ctrl-C, an answer that cannot be recorded is given up; the delivery then comes once more at the next start.
 */
const LAST_TRIES = 3;

/**
 * Forwards held deliveries one by one, oldest first, until `stopping`. During an outage of the database or the
 * receiver it waits, and says so once.
 */
export class Forwarding {
  readonly #parts: ForwardingParts;
  readonly #stopping: AbortSignal;
  #trouble: string | null = null;
  #heardAt = Number.NEGATIVE_INFINITY;

  constructor(parts: ForwardingParts, stopping: AbortSignal) {
    this.#parts = parts;
    this.#stopping = stopping;
  }

  async run(): Promise<void> {
    while (!this.#stopping.aborted) {
      try {
        await this.#beHeard();
        const next = await this.#sql((sql) => takeHeld(sql, this.#parts.listener));
        if (next) await this.#forward(next);
        else await this.#pause(POLL_MS);
      } catch (error) {
        if (error instanceof CommandError) throw error;
        // Before anything else is taken: what this process took may still be leased to it, and would be overtaken.
        this.#heardAt = Number.NEGATIVE_INFINITY;
        const why = messageOf(error);
        await this.#wait(`The database does not answer (${why}); waiting for it.`);
      }
    }
  }

  async #forward(delivery: HeldDelivery): Promise<void> {
    const { url, sender, listener, onAnswer } = this.#parts;
    const back = (): Promise<void> => this.#sql((sql) => putBack(sql, delivery, listener.token));
    if (!(await takesConnections(url))) {
      await back();
      await this.#wait(`Nothing answers at ${url}; events are kept until something does.`);
      return;
    }
    const outcome = await sender.attempt(delivery, new Date());
    if (outcome.kind === 'infrastructure') {
      await back();
      throw new CommandError(`${delivery.eventId} could not be sent: ${outcome.message}`);
    }
    const answered = answeredBy(outcome);
    await this.#record(delivery, answered);
    onAnswer(delivery, answered);
    this.#over();
  }

  /** The delivery was sent; nothing else is done until that is recorded, or it would be sent again. */
  async #record(delivery: HeldDelivery, answered: Answered): Promise<void> {
    for (let triesLeft = LAST_TRIES; triesLeft > 0; triesLeft -= this.#stopping.aborted ? 1 : 0) {
      try {
        await this.#sql((sql) => recordAnswer(sql, delivery, this.#parts.listener.token, answered));
        return;
      } catch {
        await this.#wait('The database does not answer; the answer is kept until it does.');
      }
    }
  }

  /**
   * Shows that this listener is alive, and takes over what dead ones had leased, as well as its own: between two events
   * it has nothing in hand.
   */
  async #beHeard(): Promise<void> {
    if (performance.now() - this.#heardAt < HEARD_EVERY_MS) return;
    const { database, listener } = this.#parts;
    const known = await this.#sql((sql) =>
      noteHeard(sql, listener.organizationId, listener.endpointId),
    );
    if (!known)
      throw new CommandError(
        'This listener was not heard for 7 days and was ended. Start it again; its secret is a new one then.',
      );
    const holders = await this.#sql((sql) => holdersOf(sql, listener));
    if (holders.length > 0) {
      const present = await presentTokens(sqlOver(database.system), 'listener');
      const idle = holders.filter((token) => token === listener.token || !present.has(token));
      await this.#sql((sql) => releaseHeld(sql, listener, idle));
    }
    this.#heardAt = performance.now();
    if (this.#trouble?.startsWith('The database')) this.#over();
  }

  #sql<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return inWorkspace(this.#parts.database, this.#parts.listener.organizationId, work);
  }

  async #wait(trouble: string): Promise<void> {
    if (this.#trouble !== trouble) this.#parts.onTrouble(trouble);
    this.#trouble = trouble;
    await this.#pause(AGAIN_MS);
  }

  #over(): void {
    if (this.#trouble !== null) this.#parts.onTrouble('Going on.');
    this.#trouble = null;
  }

  /** Ends at once when the command should stop. */
  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#stopping }).catch(() => {});
  }
}

function answeredBy(outcome: Exclude<AttemptOutcome, { kind: 'infrastructure' }>): Answered {
  if (outcome.kind === 'poison')
    return { status: 'failed', code: null, durationMs: 0, response: null, error: 'internal' };
  const { code, durationMs, response, error } = outcome;
  const status = outcome.kind === 'delivered' ? 'succeeded' : 'failed';
  return { status, code, durationMs, response, error };
}
