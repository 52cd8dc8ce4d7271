import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface LoadOrder {
  readonly url: string;
  readonly seconds: number;
  readonly connections: number;
}

export interface Load {
  readonly answers: number;
  /** Anything but a 2xx in time. */
  readonly failures: number;
  readonly seconds: number;
  readonly p50: number;
  readonly p99: number;
  readonly cpuSeconds: number;
}

export interface LoadGenerator {
  ask(order: LoadOrder): Promise<Load>;
  close(): Promise<void>;
}

/** One process for all runs: what starting it costs is in none of them. */
export function startLoadGenerator(keyFile: string): LoadGenerator {
  const child = fork(fileURLToPath(new URL('../load.ts', import.meta.url)), {
    env: { PATH: process.env['PATH'], LOAD_KEYS: keyFile },
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  const ended = once(child, 'exit');
  const early = ended.then((): never => {
    throw new Error('the load generator ended');
  });
  early.catch(() => {});
  return {
    ask: async (order) => {
      child.send(order);
      const [answer] = await Promise.race([once(child, 'message'), early]);
      return answer as Load;
    },
    close: async () => {
      child.disconnect();
      await ended;
    },
  };
}
