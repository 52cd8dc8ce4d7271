import { freePort } from '../../src/embedded/ports.ts';
import { type Child, startChild, until } from '../../test/support/processes/child.ts';

/** Runs a bare loop, a file of `bench/`, to its end and reads the JSON line that it printed last. */
export async function runProgram<T>(file: string, environment: Record<string, string>): Promise<T> {
  const child = startChild(`bench/${file}`, environment);
  const code = await child.exited;
  const line = child.output().trim().split('\n').at(-1) ?? '';
  if (code !== 0) throw new Error(`bench/${file} ended with ${code}\n${child.output()}`);
  return JSON.parse(line) as T;
}

export interface Receiver extends Child {
  readonly origin: string;
  count(): Promise<number>;
  /** When each event first arrived, by the machine's clock. */
  arrivals(): Promise<Map<string, number>>;
  forget(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const child = startChild('bench/children/receiver.ts', { RECEIVER_PORT: String(port) });
  const ask = async (path: string, method = 'GET'): Promise<unknown> =>
    (await fetch(`${origin}${path}`, { method })).json();
  const count = async (): Promise<number> => (await ask('/count')) as number;
  await until('the receiver answers', async () => (await count()) === 0, { child });
  return {
    ...child,
    origin,
    count,
    arrivals: async () => new Map((await ask('/arrivals')) as [string, number][]),
    forget: async () => {
      await ask('/', 'DELETE');
    },
  };
}
