import net from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { freePort, refusePortsInUse } from '../../src/embedded/ports.ts';

const servers = [net.createServer(), net.createServer()];
const inUse: number[] = [];

beforeAll(async () => {
  for (const server of servers) {
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    inUse.push((server.address() as net.AddressInfo).port);
  }
});
afterAll(() => {
  for (const server of servers) server.close();
});

it('a start names every port in use at once, with a command that can be copied', async () => {
  const [first = 0, second = 0] = inUse;
  const wanted = [
    ['PORT', first],
    ['SIMULATOR_PORT', second],
  ] as const;
  const ports = new RegExp(
    `^Ports ${first} and ${second} are taken. .*: PORT=(\\d+) SIMULATOR_PORT=(\\d+) npm start$`,
  );

  const error: Error = await refusePortsInUse(wanted).catch((reason) => reason);
  expect(error.message).toMatch(ports);
  const chosen = (ports.exec(error.message) ?? []).slice(1).map(Number);
  expect(new Set([...chosen, first, second]).size).toBe(4);
});

it('a start is refused as well when a port is taken for IPv6 alone', async () => {
  const [server, port] = [net.createServer(), await freePort()];
  await new Promise<void>((listening) => server.listen(port, '::1', listening));

  const refused = refusePortsInUse([['PORT', port]]);
  await expect(refused).rejects.toThrow(`Port ${port} is taken. With free ones: PORT=`);
  server.close();
});

it('a start that is refused for one port keeps the others that were chosen', async () => {
  const [first = 0] = inUse;
  const free = await freePort();

  await expect(
    refusePortsInUse([
      ['PORT', free],
      ['SIMULATOR_PORT', first],
    ]),
  ).rejects.toThrow(new RegExp(`^Port ${first} is taken. .*: PORT=${free} SIMULATOR_PORT=`));
});
