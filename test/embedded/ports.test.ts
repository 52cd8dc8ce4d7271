import { once } from 'node:events';
import net from 'node:net';
import os from 'node:os';
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

it('a start offers no port twice', async () => {
  const port = await freePort();
  // So that the search for either leads to the same one.
  const all = [port, port + 1, port + 10].map((at) => net.createServer().listen(at, '127.0.0.1'));
  await Promise.all(all.map((server) => once(server, 'listening')));
  try {
    const error: Error = await refusePortsInUse([
      ['PORT', port],
      ['SIMULATOR_PORT', port + 1],
    ]).catch((reason) => reason);

    const offered = [...error.message.matchAll(/PORT=(\d+)/g)].map(([, free]) => free);
    expect(new Set(offered).size).toBe(2);
  } finally {
    for (const server of all) server.close();
  }
});

/** Where a machine has no IPv6, nobody can take a port of it. */
const hasIPv6 = Object.values(os.networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === '::1'),
);

(hasIPv6 ? it : it.skip)(
  'a port that is taken for IPv6 alone is refused, and never offered',
  async () => {
    const port = await freePort();
    const taken = [port, port + 10].map((at) => net.createServer().listen(at, '::1'));
    await Promise.all(taken.map((server) => once(server, 'listening')));
    try {
      const refused = refusePortsInUse([['PORT', port]]);

      await expect(refused).rejects.toThrow(
        new RegExp(`^Port ${port} is taken\\. With free ones: PORT=(?!${port + 10} )`),
      );
    } finally {
      for (const server of taken) server.close();
    }
  },
);

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
