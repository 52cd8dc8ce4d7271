import { once } from 'node:events';
import { type AddressInfo, createServer as createTcp, type Server, type Socket } from 'node:net';
import { createServer as createTls, type TlsOptions } from 'node:tls';

export interface Listener {
  port: number;
  /** Connections ever accepted. */
  connections: number;
  /** Raw requests, as far as they were read. */
  received: string[];
  /** Sockets open now. */
  open: Set<Socket>;
  /** Told of each socket that closed. */
  ended?: (socket: Socket) => void;
  close(): Promise<void>;
}

/** What a server does with each chunk it reads. */
export type Behaviour = (socket: Socket, request: string) => void;

async function listen(server: Server, listener: Omit<Listener, 'port' | 'close'>, host: string) {
  server.listen(0, host);
  await once(server, 'listening');
  const close = async () => {
    for (const socket of listener.open) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  return Object.assign(listener, { port: (server.address() as AddressInfo).port, close });
}

function track(behave: Behaviour) {
  const listener: Omit<Listener, 'port' | 'close'> = {
    connections: 0,
    received: [],
    open: new Set(),
  };
  const accept = (socket: Socket) => {
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk) => {
      listener.received.push(chunk.toString('latin1'));
      behave(socket, chunk.toString('latin1'));
    });
  };
  const count = (socket: Socket) => {
    listener.connections += 1;
    listener.open.add(socket);
    socket.on('close', () => {
      listener.open.delete(socket);
      listener.ended?.(socket);
    });
    socket.on('error', () => socket.destroy());
  };
  return { listener, accept, count };
}

/** A plain TCP server that answers each chunk as it likes. */
export async function startTcp(behave: Behaviour, host = '127.0.0.1'): Promise<Listener> {
  const { listener, accept, count } = track(behave);
  const server = createTcp((socket) => {
    count(socket);
    accept(socket);
  });
  return listen(server, listener, host);
}

/** The same behind TLS; `connections` counts TCP connections, finished handshakes or not. */
export async function startTls(options: TlsOptions, behave: Behaviour): Promise<Listener> {
  const { listener, accept, count } = track(behave);
  const server = createTls(options, accept);
  server.on('connection', count);
  server.on('tlsClientError', () => {});
  return listen(server, listener, '127.0.0.1');
}

export const ok: Behaviour = (socket) => {
  socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
};
