import { once } from 'node:events';
import net from 'node:net';
import os from 'node:os';
import { expect, it } from '@jest/globals';
import { forwardUrl, takesConnections } from '../../src/cli/commands/listen/target.ts';

it.each([
  ['4000', 'http://localhost:4000/'],
  ['4000/hooks?a=1', 'http://localhost:4000/hooks?a=1'],
  ['localhost:4000/hooks', 'http://localhost:4000/hooks'],
  ['127.0.0.1', 'http://127.0.0.1/'],
  ['https://example.com/4000', 'https://example.com/4000'],
  ['localhost:4000/#hooks', 'http://localhost:4000/'],
])('wms listen --forward-to %s posts to %s', (given, url) => {
  expect(forwardUrl(given)).toBe(url);
});

it.each(['70000', '/hooks', '//localhost:4000/hooks', ''])(
  'wms listen refuses to post to "%s"',
  (given) => {
    expect(() => forwardUrl(given)).toThrow(/is no address to post to/);
  },
);

it.each(['http://ana@localhost:4000', 'http://:secret@localhost:4000'])(
  'wms listen takes no one’s name and password along: %s',
  (given) => {
    expect(() => forwardUrl(given)).toThrow('may not hold a user name or a password');
  },
);

/** Where a machine has no IPv6, nobody can listen there. */
const hasIPv6 = Object.values(os.networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === '::1'),
);

it.each(['127.0.0.1', ...(hasIPv6 ? ['::1'] : [])])(
  'wms listen finds out whether anything answers at %s',
  async (host) => {
    const server = net.createServer().listen(0, host);
    await once(server, 'listening');
    const { port } = server.address() as net.AddressInfo;
    const address = `http://${host.includes(':') ? `[${host}]` : host}:${port}/hooks`;

    const open = await takesConnections(address);
    server.close();
    await once(server, 'close');

    expect([open, await takesConnections(address)]).toEqual([true, false]);
  },
);
