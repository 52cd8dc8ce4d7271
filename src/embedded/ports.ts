import { randomInt } from 'node:crypto';
import net from 'node:net';

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = net.createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/**
 * Any port of the loopback interface that nobody listens on. Below those that systems give to outgoing
 * connections: one of these could take it before its owner listens, or while its owner starts again.
 */
export async function freePort(): Promise<number> {
  const port = randomInt(20_000, 32_768);
  return (await isFree(port)) ? port : freePort();
}

/** The first free port from `first` on; 0 means any. `taken` are promised to somebody already. */
export async function nextFreePort(first: number, taken: readonly number[] = []): Promise<number> {
  if (first === 0) return freePort();
  for (let port = first; port < first + 200; port++) {
    if (!taken.includes(port) && (await isFree(port))) return port;
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
