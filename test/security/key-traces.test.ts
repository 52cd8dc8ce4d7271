import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createApiKey } from '../../src/api-keys/service.ts';
import { createLog, type Log } from '../../src/log.ts';
import { aCredential } from '../support/credentials.ts';
import { type OwnDatabase, openOwnDatabase } from '../support/database.ts';
import { everyRoute } from '../support/every-route.ts';
import { everythingStored } from '../support/everything-stored.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { doorOf, type OpenDoor, serveApi } from '../support/http.ts';

let door: OpenDoor;
const said: string[] = [];

/** A log that hears everything, whatever its level. */
function eavesdropper(): Log {
  const log = createLog({ level: 'silent', format: 'json' });
  for (const level of ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const)
    log[level] = (...args: unknown[]) => {
      said.push(JSON.stringify(args));
    };
  log.isLevelEnabled = () => true;
  return log;
}

let database: OwnDatabase;

beforeAll(async () => {
  database = await openOwnDatabase();
  const api = await serveApi(database, { routes: everyRoute, log: eavesdropper() });
  door = doorOf(database, api);
});
afterAll(() => door.close());

describe('a key that was shown once', () => {
  it('leaves no trace of itself: not in any table, nor in any log', async () => {
    const { ctx } = await aWorkspace(door.database);
    const { id, key } = await createApiKey(ctx, {
      name: 'Loja',
      scopes: ['contacts:read', 'contacts:write'],
      lifetime: 'never',
    });
    const secret = key.slice('sk_live_'.length);
    const call = (path: string, body?: unknown) =>
      door.api.call(body ? 'POST' : 'GET', path, {
        key,
        body,
        headers: { 'idempotency-key': 'once', 'user-agent': 'shop' },
      });

    await call('/api/v1/contacts', { name: 'Ana', phone: '+5511987654321' });
    await call('/api/v1/contacts', { name: key, surprise: true });
    await call('/api/v1/numbers');
    await call(`/api/v1/contacts/${key}`);
    const stored = (await everythingStored(database.url)).map(({ value }) => value).join('\n');

    expect(stored).toContain(id);
    expect(stored).not.toContain(secret);
    expect(said.length).toBeGreaterThan(3);
    expect(said.join('\n')).not.toContain(secret);
  });
});

const median = (times: number[]): number => times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0;

describe('a key that is nobody’s', () => {
  /** By how much one kind of guess is answered slower than the other, as a share. */
  async function difference(guesses: readonly [() => string, () => string]): Promise<number> {
    const times: [number[], number[]] = [[], []];
    const measure = async (kind: 0 | 1): Promise<void> => {
      const key = guesses[kind]();
      const started = performance.now();
      const { status } = await door.api.call('GET', '/api/v1/contacts', { key });
      times[kind].push(performance.now() - started);
      expect(status).toBe(401);
    };
    // One after the other, so that a pause of the machine meets both alike; no more than a busy one does in the test's time.
    for (let i = 0; i < 400; i += 1) {
      await measure(i % 2 === 0 ? 0 : 1);
      await measure(i % 2 === 0 ? 1 : 0);
    }
    const [one, other] = times.map(median) as [number, number];
    return Math.abs(one - other) / other;
  }

  it('is refused as fast when its beginning is right as when nothing is', async () => {
    const { key } = await aCredential(door.database);
    const near = (): string => key.slice(0, 20) + randomBytes(10).toString('hex');
    const far = (): string => `sk_live_${randomBytes(16).toString('hex')}`;

    // A difference that the code makes is there in every round; one that the machine makes is not.
    let least = 1;
    for (let round = 0; round < 5 && least >= 0.05; round += 1) {
      least = Math.min(least, await difference([near, far]));
    }

    expect(least).toBeLessThan(0.05);
  });
});
