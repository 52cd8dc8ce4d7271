import { isIP, type LookupFunction, type TcpNetConnectOpts } from 'node:net';
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from 'node:tls';
import { buildConnector } from 'undici';
import { canonicalAddress } from './addresses.ts';
import { ConnectionRefusal, type Vet } from './vetting.ts';

/** The default of 250 ms for each address gives up on those that are merely far away. */
export const PER_ADDRESS_MS = 1_000;

/** Answers the socket's lookup with the vetted addresses, so that nothing is resolved twice. */
function answerWith(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_hostname, _options, callback) => callback(null, all);
}

function isVetted(socket: TLSSocket, addresses: readonly string[]): boolean {
  const remote = canonicalAddress(socket.remoteAddress ?? '');
  return remote !== null && addresses.some((address) => canonicalAddress(address) === remote);
}

interface TlsLimits {
  timeoutMs: number;
  ca?: string | undefined;
}

function dial(
  target: buildConnector.Options,
  addresses: readonly string[],
  ca: string | undefined,
): TLSSocket {
  const options: ConnectionOptions & TcpNetConnectOpts = {
    host: target.hostname,
    port: Number(target.port || 443),
    // A server name is sent without the final dot of a fully qualified name (RFC 6066, section 3).
    ...(isIP(target.hostname) === 0 ? { servername: target.hostname.replace(/\.$/, '') } : {}),
    ...(ca === undefined ? {} : { ca }),
    lookup: answerWith(addresses),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: PER_ADDRESS_MS,
    ALPNProtocols: ['http/1.1'],
  };
  return connectTls(options).setNoDelay(true);
}

/** Opens TLS to one of the vetted addresses; the certificate must match the host name. */
function openTls(
  target: buildConnector.Options,
  addresses: readonly string[],
  limits: TlsLimits,
): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = dial(target, addresses, limits.ca);
    // A peer that was reached but does not finish the handshake counts as a TLS failure, even if it is merely silent.
    let reached = false;
    const refuse = (refusal: ConnectionRefusal) => {
      clearTimeout(timer);
      socket.destroy();
      reject(refusal);
    };
    const fail = (cause: Error) =>
      refuse(new ConnectionRefusal(reached ? 'tls' : 'connection', cause.message, { cause }));
    const timer = setTimeout(
      () => refuse(new ConnectionRefusal(reached ? 'tls' : 'timeout', 'no connection in time')),
      limits.timeoutMs,
    );
    socket.on('error', fail);
    socket.once('connect', () => {
      reached = true;
      if (isVetted(socket, addresses)) return;
      refuse(
        new ConnectionRefusal('private_address', 'connected to an address that was not vetted'),
      );
    });
    socket.once('secureConnect', () => {
      clearTimeout(timer);
      socket.off('error', fail);
      resolve(socket);
    });
  });
}

/**
 * Opens the connections of the safe sender. Each new one resolves and vets its host again; trusted origins
 * (configured by the operator) connect as they are.
 *
 * @param options.timeoutMs limits lookup, connect and TLS handshake together
 */
export function createConnector(options: {
  isTrusted: (origin: string) => boolean;
  vet: Vet;
  timeoutMs: number;
  ca?: string | undefined;
}): buildConnector.connector {
  const connectDirectly = buildConnector({
    allowH2: false,
    timeout: options.timeoutMs,
    ...(options.ca === undefined ? {} : { ca: options.ca }),
  });

  async function connectVetted(target: buildConnector.Options): Promise<TLSSocket> {
    const startedAt = performance.now();
    if (target.protocol !== 'https:') {
      throw new ConnectionRefusal('private_address', 'only a trusted origin may be plain http');
    }
    const addresses = await options.vet(target.hostname);
    const timeoutMs = Math.max(1, options.timeoutMs - (performance.now() - startedAt));
    return openTls(target, addresses, { timeoutMs, ca: options.ca });
  }

  return (target, callback) => {
    if (options.isTrusted(`${target.protocol}//${target.host}`)) {
      connectDirectly(target, callback);
      return;
    }
    connectVetted(target).then(
      (socket) => callback(null, socket),
      (error: Error) => callback(error, null),
    );
  };
}
