import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A wire to a server that can be cut and mended, or fall silent. */
export interface Wire {
  /** As `host:port`, like the server's own. */
  readonly address: string;
  /** Closes every connection, and each new one. */
  cut(): void;
  mend(): void;
  /**
   * Nothing gets through any more on the connections there are, as when a machine vanishes; new ones are whole.
   *
   * @returns how many they are
   */
  silence(): number;
  close(): void;
}

const pipe = (near: Socket, far: Socket): void => {
  far.pipe(near);
};

/**
 * @param address the server's, as `host:port`
 * @param carryBack brings what the server says to its client.
 */
export async function openWire(address: string, carryBack = pipe): Promise<Wire> {
  const [host = '', port = ''] = address.split(':');
  const sockets = new Set<Socket>();
  const silent = new WeakSet<Socket>();
  let isCut = false;
  const server = createServer((near) => {
    if (isCut) {
      near.destroy();
      return;
    }
    const far = connect(Number(port), host);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('error', () => {});
      one.on('close', () => {
        sockets.delete(one);
        if (!silent.has(one)) other.destroy();
      });
    }
    near.pipe(far);
    carryBack(near, far);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const destroyAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut: () => {
      isCut = true;
      destroyAll();
    },
    mend: () => {
      isCut = false;
    },
    silence: () => {
      for (const socket of sockets) {
        silent.add(socket);
        socket.unpipe();
        socket.removeAllListeners('data');
        socket.pause();
      }
      return sockets.size / 2;
    },
    close: () => {
      destroyAll();
      server.close();
    },
  };
}
