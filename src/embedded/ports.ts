import net from 'node:net';

function tryListen(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = net.createServer();
    server.once('error', () => resolve(undefined));
    server.listen(port, '127.0.0.1', () => {
      const { port: bound } = server.address() as net.AddressInfo;
      server.close(() => resolve(bound));
    });
  });
}

/** Any port of the loopback interface that nobody listens on. */
export async function freePort(): Promise<number> {
  return (await tryListen(0)) ?? freePort();
}

/** The first free port from `first` on; 0 means any. `taken` are promised to somebody already. */
export async function nextFreePort(first: number, taken: readonly number[] = []): Promise<number> {
  if (first === 0) return freePort();
  for (let port = first; port < first + 200; port++) {
    if (!taken.includes(port) && (await tryListen(port)) !== undefined) return port;
  }
  return freePort();
}

/** Whether something accepts connections on this loopback port. */
export function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
