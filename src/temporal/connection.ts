import { Client, Connection } from '@temporalio/client';
import { messageOf } from '../errors.ts';
import type { TemporalAddress } from './address.ts';
import { tellingTrace } from './tracing.ts';

/** A Temporal server and namespace, as this process reaches it. */
export interface Temporal {
  readonly client: Client;
  readonly connection: Connection;
  readonly address: TemporalAddress;
  /**
   * Null if the server answers and knows the namespace, otherwise what is wrong, in words.
   *
   * @param withinMs connecting included; two seconds by default
   */
  problem(withinMs?: number): Promise<string | null>;
  close(): Promise<void>;
}

const HEALTH_DEADLINE_MS = 2_000;
/** How long a person at a terminal waits for a server that is slow: nothing waits behind them, and nobody tries again. */
export const PERSON_WAITS_MS = 15_000;
/** The driver's own pauses grow to two minutes, and everything would wait that long after an outage. */
const RECONNECTING = {
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 500,
};

/** Connects on first use, so that the service starts and answers its callers while Temporal is down. */
export function connectTemporal(address: TemporalAddress): Temporal {
  const connection = Connection.lazy({
    address: address.address,
    // The SDK's own retries outlive a call's deadline, and throw from a timer after this is closed. All our callers
    // retry by themselves.
    interceptors: [],
    channelArgs: RECONNECTING,
    ...(address.apiKey ? { apiKey: address.apiKey } : {}),
    ...(address.tls ? { tls: address.tls } : {}),
  });
  return {
    client: new Client({
      connection,
      namespace: address.namespace,
      interceptors: { workflow: [tellingTrace] },
    }),
    connection,
    address,
    problem: async (withinMs = HEALTH_DEADLINE_MS) => {
      try {
        await connection.withDeadline(Date.now() + withinMs, () =>
          connection.workflowService.describeNamespace({ namespace: address.namespace }),
        );
        return null;
      } catch (error) {
        return `Temporal at ${address.address} does not answer: ${messageOf(error)}`;
      }
    },
    close: () => connection.close(),
  };
}
