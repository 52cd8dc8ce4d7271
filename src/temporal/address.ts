import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import type { TLSConfig } from '@temporalio/common/lib/internal-non-workflow/index.js';
import type { Config } from '../config.ts';

/** How to reach a Temporal server, embedded or configured. */
export interface TemporalAddress {
  readonly address: string;
  readonly namespace: string;
  readonly apiKey?: string;
  readonly tls?: TLSConfig | true;
}

/** The configured server, otherwise the embedded one. Reads the certificate files, and throws if one is missing. */
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

const REACH_MS = 2_000;

/**
 * Whether anything listens there, for processes that list Temporal's state but never talk to it: loading the client
 * would be a sixth of what they load. Rejects with the reason within two seconds.
 */
export async function reach({ address }: TemporalAddress): Promise<string> {
  const at = address.lastIndexOf(':');
  const host = address.slice(0, at).replace(/^\[(.*)\]$/, '$1');
  const socket = connect({ host, port: Number(address.slice(at + 1)) });
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(REACH_MS) });
    return 'listens';
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? (error as Error).message;
    throw new Error(`Temporal at ${address} does not listen: ${reason}`);
  } finally {
    socket.destroy();
  }
}
