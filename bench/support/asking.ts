import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A program of its own that puts load on a service, one order after another. */
export interface Asking<Order, Answer> {
  readonly pid: number;
  /** Rejects when the program has ended. */
  ask(order: Order): Promise<Answer>;
  close(): Promise<void>;
}

/**
 * One process for all runs: what starting it costs is in none of them.
 *
 * @param file of `bench/children/`; it gets orders as messages, and answers each with one
 * @param keyFile API keys that take turns, one a line
 */
export function startAsking<Order extends object, Answer>(
  file: string,
  keyFile: string,
): Asking<Order, Answer> {
  const child: ChildProcess = fork(fileURLToPath(new URL(`../children/${file}`, import.meta.url)), {
    env: { PATH: process.env['PATH'], LOAD_KEYS: keyFile },
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  const ended = once(child, 'exit');
  const early = ended.then((): never => {
    throw new Error('the load generator ended');
  });
  early.catch(() => {});
  return {
    pid: child.pid ?? 0,
    ask: async (order) => {
      child.send(order);
      const [answer] = await Promise.race([once(child, 'message'), early]);
      return answer as Answer;
    },
    close: async () => {
      child.disconnect();
      await ended;
    },
  };
}

/** Milliseconds of each of so many requests, one after another. Throws at an answer that is no 200. */
export async function timesOf(url: string, key: string, requests: number): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < requests; n++) {
    const startedAt = performance.now();
    const answer = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`${url}: ${answer.status} ${text}`);
    times.push(performance.now() - startedAt);
  }
  return times;
}
