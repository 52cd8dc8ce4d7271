import { readFileSync } from 'node:fs';
import { Client, Connection } from '@temporalio/client';
import type { TLSConfig } from '@temporalio/common/lib/internal-non-workflow/index.js';
import type { Config } from '../config.ts';

/** How to reach a Temporal server: the embedded one, or the one the configuration names. */
export interface TemporalAddress {
  readonly address: string;
  readonly namespace: string;
  readonly apiKey?: string;
  readonly tls?: TLSConfig | true;
}

export interface Temporal {
  readonly client: Client;
  readonly connection: Connection;
  readonly address: TemporalAddress;
  /** Null when the server answers and knows the namespace, else what is wrong, in words. */
  problem(): Promise<string | null>;
  close(): Promise<void>;
}

const HEALTH_DEADLINE_MS = 2_000;

export function temporalAddress(config: Config, embedded?: string): TemporalAddress {
  const tls = tlsOf(config);
  return {
    address: config.TEMPORAL_ADDRESS ?? embedded ?? '127.0.0.1:7233',
    namespace: config.TEMPORAL_NAMESPACE,
    ...(config.TEMPORAL_API_KEY ? { apiKey: config.TEMPORAL_API_KEY } : {}),
    ...(tls ? { tls } : {}),
  };
}

function tlsOf(config: Config): TLSConfig | true | undefined {
  const {
    TEMPORAL_TLS_CERT_FILE: cert,
    TEMPORAL_TLS_KEY_FILE: key,
    TEMPORAL_TLS_CA_FILE: ca,
  } = config;
  if (!cert && !ca) return config.TEMPORAL_API_KEY ? true : undefined;
  return {
    ...(ca ? { serverRootCACertificate: readFileSync(ca) } : {}),
    ...(cert && key ? { clientCertPair: { crt: readFileSync(cert), key: readFileSync(key) } } : {}),
  };
}

/** Connects when first used, so the service starts, and answers its callers, while Temporal is away. */
export function connectTemporal(address: TemporalAddress): Temporal {
  const connection = Connection.lazy({
    address: address.address,
    // The SDK's own retries outlive a call's deadline, and throw from a timer once this is closed. Every
    // caller of ours tries again by itself.
    interceptors: [],
    ...(address.apiKey ? { apiKey: address.apiKey } : {}),
    ...(address.tls ? { tls: address.tls } : {}),
  });
  return {
    client: new Client({ connection, namespace: address.namespace }),
    connection,
    address,
    problem: async () => {
      try {
        await connection.withDeadline(Date.now() + HEALTH_DEADLINE_MS, () =>
          connection.workflowService.describeNamespace({ namespace: address.namespace }),
        );
        return null;
      } catch (error) {
        return `Temporal at ${address.address} does not answer: ${error instanceof Error ? error.message : String(error)}`;
      }
    },
    close: () => connection.close(),
  };
}
