import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import os from 'node:os';
import { fileURLToPath } from 'node:url';

export interface OpenOrder {
  readonly origin: string;
  readonly seconds: number;
  /** Requests a second, whatever becomes of them; 0: as fast as they are answered, so many side by side. */
  readonly pace: number;
  readonly width: number;
}

/** One request and its answer. */
export interface Asked {
  /** Milliseconds from the beginning at which it was to be asked, and from then to the end of its answer. */
  readonly at: number;
  readonly ms: number;
  /** Milliseconds after its time that it was asked: no fault of who is asked. */
  readonly late: number;
  /** 0 where there was none. */
  readonly status: number;
  readonly retryAfter: boolean;
}

export interface OpenLoad {
  ask(order: OpenOrder): Promise<Asked[]>;
  close(): Promise<void>;
}

const PRIORITY = process.getuid?.() === 0 ? -10 : 0;

/** @param keyFile API keys that take turns, one a line. */
export function startOpenLoad(keyFile: string): OpenLoad {
  const child: ChildProcess = fork(fileURLToPath(new URL('../open-load.ts', import.meta.url)), {
    env: { PATH: process.env['PATH'], LOAD_KEYS: keyFile },
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  // As if on a machine of its own: its lateness would be taken for the service's.
  os.setPriority(child.pid ?? 0, PRIORITY);
  const ended = once(child, 'exit');
  const early = ended.then((): never => {
    throw new Error('the load generator ended');
  });
  early.catch(() => {});
  return {
    ask: async (order) => {
      child.send(order);
      const [answer] = await Promise.race([once(child, 'message'), early]);
      return answer as Asked[];
    },
    close: async () => {
      child.disconnect();
      await ended;
    },
  };
}
