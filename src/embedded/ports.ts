import { randomInt } from 'node:crypto';
import net from 'node:net';
import { StartError } from './start-error.ts';

/** Whether a server could listen at this loopback port. */
export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = net.createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/**
 * A free port on the loopback interface, below the range for outgoing connections: one of those could take the port
 * before its owner listens, or while its owner restarts.
 */
export async function freePort(): Promise<number> {
  const port = randomInt(20_000, 32_768);
  return (await isFree(port)) ? port : freePort();
}

/** The first free port from `first` on; 0 means any. `taken` are reserved already. */
export async function nextFreePort(first: number, taken: readonly number[] = []): Promise<number> {
  if (first === 0) return freePort();
  for (let port = first; port < first + 200; port++) {
    if (!taken.includes(port) && (await isFree(port)) && !(await accepts(port, '::1'))) return port;
  }
  return freePort();
}

/**
 * Throws StartError if something listens at one of these ports of [setting, port]. It names all that are taken, and a
 * command with every setting, so that one more try is enough.
 */
export async function refusePortsInUse(
  wanted: readonly (readonly [string, number])[],
  isTaken = acceptsSomewhere,
): Promise<void> {
  const reserved = wanted.map(([, port]) => port);
  const taken: number[] = [];
  const settings: string[] = [];
  for (const [name, port] of wanted) {
    let free = port;
    if (await isTaken(port)) {
      taken.push(port);
      free = await nextFreePort(port > 65_000 ? 0 : port + 10, reserved);
      reserved.push(free);
    }
    settings.push(`${name}=${free}`);
  }
  if (taken.length === 0) return;
  const what = taken.length === 1 ? `Port ${taken[0]} is` : `Ports ${taken.join(' and ')} are`;
  throw new StartError(`${what} taken. With free ones: ${settings.join(' ')} npm start`);
}

/** Some programs listen for IPv6 alone. */
const acceptsSomewhere = async (port: number): Promise<boolean> =>
  (await accepts(port)) || (await accepts(port, '::1'));

/** Whether something accepts connections on this loopback port. */
export function accepts(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(port, host, () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
