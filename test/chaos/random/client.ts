import { setTimeout as sleep } from 'node:timers/promises';
import type { Service } from '../../support/processes/processes.ts';
import type { ChaosStage } from '../support/stage.ts';
import type { Crew } from './crew.ts';

/** A change that the service answered 2xx: written down here once the answer is there. */
export interface Answered {
  readonly path: string;
  readonly body: unknown;
  readonly idempotencyKey: string;
  readonly apiKey: string;
  readonly status: number;
  readonly text: string;
  /** How often it was asked before there was an answer. */
  readonly asked: number;
}

export interface Client {
  /** Asks until there is an answer, with the same key, as a careful caller does. @returns its body. */
  post(path: string, body?: unknown): Promise<Record<string, unknown>>;
  readonly answered: readonly Answered[];
  /** Answers that no fault explains. */
  readonly odd: readonly string[];
}

const AGAIN_AFTER_MS = 200;
const NO_ANSWER = { status: 0, text: '' };
/** The rate limit of a key, and what an API says while its database is away. */
const LATER = [0, 429, 503];
/** The one before, which was not waited for any longer, is still at it. */
const UNDER_WAY = '"code":"idempotency_in_progress"';

export function openClient(stage: ChaosStage, crew: Crew, apiKeys: readonly string[]): Client {
  const answered: Answered[] = [];
  const odd: string[] = [];
  let calls = 0;

  async function ask(path: string, body: unknown, number: number): Promise<Answered> {
    const idempotencyKey = `chaos-${number}`;
    const apiKey = apiKeys[number % apiKeys.length] ?? '';
    const options = { idempotencyKey, key: apiKey, ...(body === undefined ? {} : { body }) };
    for (let asked = 1; ; asked++) {
      const apis = crew.apis();
      const api: Service | undefined = apis[(number + asked) % Math.max(1, apis.length)];
      const reply = api
        ? await stage.call(api, 'POST', path, options).catch(() => NO_ANSWER)
        : NO_ANSWER;
      const { status, text } = reply;
      if (!LATER.includes(status) && !text.includes(UNDER_WAY))
        return { path, body, idempotencyKey, apiKey, status, text, asked };
      await sleep(AGAIN_AFTER_MS);
    }
  }

  return {
    post: async (path, body) => {
      calls += 1;
      const answer = await ask(path, body, calls);
      if (answer.status < 300) answered.push(answer);
      else odd.push(`POST ${path}: ${answer.status} ${answer.text}`);
      return JSON.parse(answer.text) as Record<string, unknown>;
    },
    answered,
    odd,
  };
}
