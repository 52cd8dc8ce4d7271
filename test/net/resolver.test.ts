import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createResolver, type Resolver } from '../../src/net/resolver.ts';
import { createVetting } from '../../src/net/vetting.ts';
import { startNameServer } from './support/name-server.ts';

const hundred = Array.from({ length: 100 }, (_, i) => `8.8.4.${i + 1}`);
const many = Array.from({ length: 20 }, (_, i) => `8.8.8.${i + 1}`);

let server: Awaited<ReturnType<typeof startNameServer>>;
let resolve: Resolver;

beforeAll(async () => {
  server = await startNameServer({
    'both.example.com': ['8.8.8.8', '2606:4700::1111'],
    'v6.example.com': ['2606:4700::1111'],
    'mixed.example.com': ['8.8.8.8', '10.0.0.1'],
    'mixed6.example.com': ['8.8.8.8', '::1'],
    'alias.example.com': ['-> x.internal', '127.0.0.1'],
    'many.example.com': many,
    'empty.example.com': [],
    'broken.example.com': 'servfail',
    'silent.example.com': 'silence',
    'control.example.com': ['1.1.1.1'],
    'hundred.example.com': hundred,
    '127.0.0.1.nip.io': ['127.0.0.1'],
    'localtest.me': ['127.0.0.1', '::1'],
    'v6only.example.com': ['::'],
    'flips.example.com': ['8.8.8.8'],
  });
  const servers = [server.address];
  const patient = createResolver({ timeoutMs: 30_000, servers });
  const impatient = createResolver({ timeoutMs: 600, servers });
  resolve = (name) => (name.startsWith('silent.') ? impatient : patient)(name);
});

afterAll(() => {
  server.close();
});

const vetWith = (...controlNames: string[]) =>
  createVetting({ resolve: (name) => resolve(name), controlNames });
const vet = (name: string) => vetWith('control.example.com')(name);

describe('resolving a name', () => {
  it('gives all addresses of both families', async () => {
    expect(await resolve('both.example.com')).toEqual({
      kind: 'found',
      addresses: ['8.8.8.8', '2606:4700::1111'],
    });
    expect(await resolve('v6.example.com')).toEqual({
      kind: 'found',
      addresses: ['2606:4700::1111'],
    });
  });

  it.each(['nowhere.example.com', 'empty.example.com'])(
    'is certain that %s has none',
    async (name) => {
      expect(await resolve(name)).toEqual({ kind: 'none' });
    },
  );

  it('tells a server that fails from a name that does not exist', async () => {
    expect(await resolve('broken.example.com')).toEqual({
      kind: 'unavailable',
      reason: 'ESERVFAIL',
    });
  });

  it('ends when nobody answers', async () => {
    const startedAt = performance.now();

    const answer = await resolve('silent.example.com');

    expect(answer.kind).toBe('unavailable');
    expect(performance.now() - startedAt).toBeLessThan(30_000);
  });
});

describe('vetting a name', () => {
  it('allows at most 16 addresses', async () => {
    expect(await vet('many.example.com')).toEqual(many.slice(0, 16));
    expect(await vet('hundred.example.com')).toHaveLength(16);
  });

  it('asks again each time, so that a name that flips is refused the next time', async () => {
    expect(await vet('flips.example.com')).toEqual(['8.8.8.8']);

    server.zone['flips.example.com'] = ['127.0.0.1'];

    await expect(vet('flips.example.com')).rejects.toMatchObject({ reason: 'private_address' });
  });

  it('does not look into the machine’s own list of hosts', async () => {
    expect(readFileSync('/etc/hosts', 'utf8')).toMatch(/\slocalhost/);

    await expect(vet('localhost')).rejects.toMatchObject({ reason: 'dns' });
    await expect(vet(hostname())).rejects.toMatchObject({ reason: 'dns' });
  });

  it.each([
    ...['mixed.example.com', 'mixed6.example.com', 'alias.example.com'],
    ...['127.0.0.1.nip.io', 'localtest.me', 'v6only.example.com'],
  ])('refuses %s, since one of its addresses is not public', async (name) => {
    await expect(vet(name)).rejects.toMatchObject({ reason: 'private_address' });
  });

  it.each(['nowhere.example.com', 'empty.example.com'])('refuses %s', async (name) => {
    await expect(vet(name)).rejects.toMatchObject({ reason: 'dns' });
  });

  it.each(['broken.example.com', 'silent.example.com'])(
    'blames the name %s while our resolver works',
    async (name) => {
      await expect(vet(name)).rejects.toMatchObject({ reason: 'dns' });
    },
  );

  it('blames nobody while the control name fails too', async () => {
    const blind = vetWith('silent.example.com');

    await expect(blind('broken.example.com')).rejects.toMatchObject({ reason: 'infrastructure' });
    await expect(blind('nowhere.example.com')).rejects.toMatchObject({ reason: 'dns' });
  });

  it('takes our resolver for working while one of the control names is answered', async () => {
    const seeing = vetWith('silent.example.com', 'control.example.com');

    await expect(seeing('broken.example.com')).rejects.toMatchObject({ reason: 'dns' });
  });

  it('blames nobody while no name server can be reached', async () => {
    const unreachable = createResolver({ timeoutMs: 300, servers: ['127.0.0.1:1'] });
    const blind = createVetting({ resolve: unreachable, controlNames: ['control.example.com'] });

    await expect(blind('both.example.com')).rejects.toMatchObject({ reason: 'infrastructure' });
  });

  it('asks anew whether ours works after a later lookup failed, for it may have died since', async () => {
    let works = true;
    const dying = createVetting({
      resolve: async (name) =>
        works && name === 'control.example.com'
          ? { kind: 'found', addresses: ['1.1.1.1'] }
          : { kind: 'unavailable', reason: 'ECONNREFUSED' },
      controlNames: ['control.example.com'],
    });

    await expect(dying('broken.example.com')).rejects.toMatchObject({ reason: 'dns' });
    works = false;
    await expect(dying('both.example.com')).rejects.toMatchObject({ reason: 'infrastructure' });
    works = true;
    await expect(dying('broken.example.com')).rejects.toMatchObject({ reason: 'infrastructure' });
  });

  it.each([
    [['8.8.8.8', '64:ff9b::808:808'], ['8.8.8.8']],
    [['8.8.8.8', '64:ff9b::7f00:1'], 'private_address'],
    [['8.8.8.8', '64:ff9b:1::808:808'], 'private_address'],
    [['127.0.0.1', '64:ff9b::7f00:1'], 'private_address'],
    [['64:ff9b::808:808'], 'private_address'],
  ])('of %j takes %j: what our own DNS64 adds is nobody’s address', async (addresses, expected) => {
    const translating = createVetting({
      resolve: async () => ({ kind: 'found', addresses }),
      controlNames: [],
    });

    const vetted = await translating('shop.example.com').catch(({ reason }) => reason);

    expect(vetted).toEqual(expected);
  });

  it('never resolves a literal, and judges it like an answer', async () => {
    const asked: string[] = [];
    const vetLiteral = createVetting({
      resolve: async (name) => {
        asked.push(name);
        return { kind: 'none' };
      },
      controlNames: [],
    });

    expect(await vetLiteral('8.8.8.8')).toEqual(['8.8.8.8']);
    await expect(vetLiteral('127.0.0.1')).rejects.toMatchObject({ reason: 'private_address' });
    await expect(vetLiteral('::ffff:127.0.0.1')).rejects.toMatchObject({
      reason: 'private_address',
    });
    expect(asked).toEqual([]);
  });
});
