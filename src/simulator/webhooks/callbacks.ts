import { createHmac } from 'node:crypto';
import { Pool } from 'undici';
import { createTimetable } from './timetable.ts';

const IN_FLIGHT = 8;
const FIRST_RETRY_MS = 250;
const LONGEST_RETRY_MS = 5_000;
const ANSWER_WITHIN_MS = 10_000;

export interface Callbacks {
  /**
   * Posts a webhook, repeatedly until the service accepts it, as Meta does.
   *
   * @param taken called once it has, at whichever attempt
   * @returns whether the first attempt was accepted
   */
  post(webhook: unknown, taken?: () => void): Promise<boolean>;
  stop(): Promise<void>;
}

interface Post {
  body: Buffer;
  signature: string;
  failures: number;
  tried: (taken: boolean) => void;
  taken: () => void;
}

/** Posts signed webhooks to the service, a few at a time, and repeats those not accepted. */
export function createCallbacks(options: {
  url: string;
  appSecret: string;
  log: (line: string) => void;
}): Callbacks {
  const url = new URL(options.url);
  const path = url.pathname + url.search;
  const pool = new Pool(url.origin, {
    connections: IN_FLIGHT,
    headersTimeout: ANSWER_WITHIN_MS,
    bodyTimeout: ANSWER_WITHIN_MS,
  });
  const waiting: Post[] = [];
  let inFlight = 0;
  let stopped = false;
  let down = false;

  const attempt = async ({ body, signature }: Post): Promise<string | null> => {
    try {
      const answer = await pool.request({
        path,
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-hub-signature-256': signature },
        body,
      });
      await answer.body.dump();
      const taken = answer.statusCode >= 200 && answer.statusCode < 300;
      return taken ? null : `status ${answer.statusCode}`;
    } catch (problem) {
      return problem instanceof Error ? problem.message || problem.name : String(problem);
    }
  };

  const settle = (post: Post, problem: string | null): void => {
    // Logged once per outage; a line for every repetition would bury everything else.
    if (problem && !down && !stopped)
      options.log(`webhooks are not taken (${problem}); repeating them`);
    if (!problem && down) options.log('webhooks are taken again');
    down = problem !== null;
    if (problem && !stopped) {
      const waitMs = Math.min(FIRST_RETRY_MS * 2 ** post.failures, LONGEST_RETRY_MS);
      post.failures += 1;
      retries.add(Date.now() + waitMs, post);
    }
    if (!problem) post.taken();
    post.tried(problem === null);
  };

  const pump = (): void => {
    while (inFlight < IN_FLIGHT && !stopped) {
      const post = waiting.shift();
      if (!post) return;
      inFlight += 1;
      void attempt(post).then((problem) => {
        inFlight -= 1;
        settle(post, problem);
        pump();
      });
    }
  };

  const retries = createTimetable<Post>(50, (posts) => {
    waiting.push(...posts);
    pump();
  });

  return {
    post: (webhook, taken = () => {}) => {
      const body = Buffer.from(JSON.stringify(webhook));
      const signature = `sha256=${createHmac('sha256', options.appSecret).update(body).digest('hex')}`;
      return new Promise((tried) => {
        waiting.push({ body, signature, failures: 0, tried, taken });
        pump();
      });
    },
    stop: async () => {
      stopped = true;
      retries.clear();
      for (const post of waiting.splice(0)) post.tried(false);
      await pool.destroy();
    },
  };
}
