import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SCOPE_NAMES, type Scope } from '../../src/access/scopes.ts';
import { newId } from '../../src/ids.ts';
import { aCredential, type Credential, credentialFor } from '../support/credentials.ts';
import { addressOf, everyRoute, exampleBody, nameOf, sendable } from '../support/every-route.ts';
import { type OpenDoor, openDoor } from '../support/http.ts';

let door: OpenDoor;
const credentials = new Map<Scope, Credential>();

beforeAll(async () => {
  door = await openDoor({ routes: everyRoute });
  const { organizationId } = await aCredential(door.database);
  for (const scope of SCOPE_NAMES) {
    credentials.set(scope, await aCredential(door.database, { organizationId, scopes: [scope] }));
  }
});
afterAll(() => door.close());

describe.each(everyRoute.map((route) => [nameOf(route), route] as const))('%s', (_, route) => {
  const address = addressOf(route, newId(route.id ?? 'con'));

  it('is passed by its own scope and by no other of the specification', async () => {
    const refused: string[] = [];
    for (const [scope, credential] of credentials) {
      const answer = await door.api.call(route.method, address, {
        key: credentialFor(route, credential),
        body: sendable(route, exampleBody(route)),
      });
      if (answer.status === 403 && answer.body.error.code === 'forbidden') {
        expect(answer.body.error.details).toEqual({ scope: route.scope });
        refused.push(scope);
      }
    }

    expect(refused.sort()).toEqual(SCOPE_NAMES.filter((scope) => scope !== route.scope).sort());
  });

  it('tells whoever may not make the call just that, however little of it can be read', async () => {
    const [other] = [...credentials].filter(([scope]) => scope !== route.scope);
    const stranger = other?.[1] ?? (await aCredential(door.database));
    const writes = route.kind === 'write';
    const calls: { search?: string; body?: unknown; headers?: Record<string, string> }[] = [
      { search: '?limit=1&limit=2' },
      ...(writes
        ? [{ body: '{' }, { headers: { 'idempotency-key': 'a b' } }]
        : [{ search: '?cursor=x' }]),
    ];
    const sent = (key: string) =>
      calls.map(({ search = '', ...call }) =>
        door.api.call(route.method, address + search, { key, ...call }),
      );

    for (const reply of await Promise.all(sent(credentialFor(route, stranger)))) {
      expect([reply.status, reply.body.error.code]).toEqual([403, 'forbidden']);
      expect(reply.body.error.details).toEqual({ scope: route.scope });
    }
    if (!writes || route.apiKeys !== false) return;
    for (const reply of await Promise.all(sent(stranger.key)))
      expect([reply.status, reply.body.error.code]).toEqual([403, 'oauth_required']);
  });

  it('answers 401 with a challenge to whoever brings no valid key', async () => {
    const keys = [undefined, 'sk_live_0123456789abcdef0123456789abcdef', 'nonsense'];
    const answers = await Promise.all(
      keys.map((key) =>
        door.api.call(route.method, address, { key, body: sendable(route, exampleBody(route)) }),
      ),
    );

    for (const answer of answers) {
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
      expect(answer.body.error).toMatchObject({
        code: 'unauthorized',
        request_id: answer.headers.get('x-request-id'),
      });
    }
  });
});
