import { freePort } from '../../src/embedded/ports.ts';
import { type Child, startChild, until } from '../../test/support/processes/child.ts';
import type { Kind } from './behaviours.ts';

export interface Opened {
  readonly origin: string;
  /** Whether the operator must vouch for the origin, for it is on this machine. */
  readonly trusted: boolean;
}

/** What came of one event. */
export interface Receipt {
  /** By the machine's clock. */
  readonly firstAt: number;
  requests: number;
  /** How often it was answered with a 2xx. */
  accepted: number;
}

/** What came, by event. */
export type Ledger = ReadonlyMap<string, Receipt>;

export interface Receivers extends Child {
  /** `host:port` of a name server that knows the receivers' names. */
  readonly nameServer: string;
  /** A server for each, in this order. */
  open(kinds: readonly Kind[]): Promise<Opened[]>;
  /** How many different events came to each, in the order of opening. */
  counts(): Promise<number[]>;
  /** What came to each, in the order of opening. */
  ledgers(): Promise<Ledger[]>;
  /** Of all together, where an event goes to one receiver only. */
  ledger(): Promise<Ledger>;
}

export async function startReceivers(): Promise<Receivers> {
  const port = await freePort();
  const child = startChild('bench/children/receivers.ts', { RECEIVER_PORT: String(port) });
  const ask = async (path: string, body?: unknown): Promise<unknown> => {
    const options = body ? { method: 'POST', body: JSON.stringify(body) } : {};
    return (await fetch(`http://127.0.0.1:${port}${path}`, options)).json();
  };
  let nameServer = '';
  const answers = async (): Promise<boolean> => {
    nameServer = (await ask('/names')) as string;
    return true;
  };
  await until('the receivers answer', answers, { child });
  const ledgers = async (): Promise<Ledger[]> =>
    ((await ask('/ledger')) as [string, Receipt][][]).map((entries) => new Map(entries));
  return {
    ...child,
    nameServer,
    open: async (kinds) => (await ask('/', kinds)) as Opened[],
    counts: async () => (await ask('/counts')) as number[],
    ledgers,
    ledger: async () => new Map((await ledgers()).flatMap((one) => [...one])),
  };
}
