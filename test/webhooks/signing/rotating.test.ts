import { describe, expect, it } from '@jest/globals';
import { createSigningKeys, type EndpointSecrets } from '../../../src/webhooks/signing/keys.ts';
import { testKeyring } from '../../support/factories/numbers.ts';
import { opened } from '../../support/opened.ts';
import { anEndpointScene, type EndpointScene, openWebhookDoor } from '../support/endpoint-scene.ts';

const DAY_MS = 24 * 3_600_000;

let now = new Date('2026-11-21T12:00:00.000Z');

const door = opened(() => openWebhookDoor({ clock: { now: () => now, skewMs: 0 } }));

const SECRETS = `
  select organization_id as "organizationId", id as "endpointId", secret, previous_secret as "previousSecret",
    previous_valid_until as "previousValidUntil", secret_version as "secretVersion"
  from webhook_endpoints where id = $1`;

/** The secrets that sign an attempt at this moment, newest first. */
async function signing({ rows }: EndpointScene, at: Date): Promise<string[]> {
  const [stored] = await rows<EndpointSecrets>(SECRETS);
  const keys = stored ? createSigningKeys(testKeyring).keysFor(stored, at) : [];
  return keys.map((key) => `whsec_${key.export().toString('base64')}`);
}

const later = (ms: number): Date => new Date(now.getTime() + ms);

describe('rotating the secret of an endpoint', () => {
  it('shows a new one, which signs first; the one before signs too, for 24 hours', async () => {
    const scene = await anEndpointScene(door);

    const rotated = await scene.call('POST', '/rotate');

    const { secret, previous_valid_until } = rotated.body;
    expect(rotated.status).toBe(200);
    expect(Object.keys(rotated.body)).toEqual(['secret', 'previous_valid_until']);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(previous_valid_until).toBe(later(DAY_MS).toISOString());
    expect(await signing(scene, now)).toEqual([secret, scene.secret]);
    expect(await signing(scene, later(DAY_MS - 1_000))).toEqual([secret, scene.secret]);
    expect(await signing(scene, later(DAY_MS))).toEqual([secret]);
  });

  it('twice within a day leaves the current and the previous one: never three', async () => {
    const scene = await anEndpointScene(door);
    const first = (await scene.call('POST', '/rotate')).body.secret;
    now = later(3_600_000);

    const second = await scene.call('POST', '/rotate');

    expect(await signing(scene, now)).toEqual([second.body.secret, first]);
    expect(second.body.previous_valid_until).toBe(later(DAY_MS).toISOString());
    expect(
      await scene.rows('select secret_version, revision from webhook_endpoints where id = $1'),
    ).toEqual([{ secret_version: 3, revision: 3 }]);
  });

  it('keeps both encrypted, each bound to its own column, and shows them in no record and no log', async () => {
    const scene = await anEndpointScene(door);
    const { secret } = (await scene.call('POST', '/rotate')).body;

    const [stored] = await scene.rows<EndpointSecrets>(SECRETS);
    const [log] = await scene.rows<{ said: string }>(
      "select string_agg(audit_entries::text, ' ') as said from audit_entries where $1 <> ''",
    );
    const shown = (await scene.call('GET')).text;

    const place = { table: 'webhook_endpoints', row: scene.id, organizationId: scene.workspaceId };
    const moved = () =>
      testKeyring.decrypt(stored?.previousSecret ?? '', { ...place, column: 'secret' });
    expect(moved).toThrow('mismatch');
    for (const text of [JSON.stringify(stored), log?.said ?? '', shown])
      for (const one of [secret, scene.secret]) expect(text).not.toContain(one.slice(6, 20));
    expect(await scene.log()).toEqual(['webhook.rotated']);
  });

  it('is repeated with the same secret by its Idempotency-Key', async () => {
    const { id, key } = await anEndpointScene(door);
    const rotate = () =>
      door.api.call('POST', `/api/v1/webhooks/${id}/rotate`, {
        key,
        headers: { 'idempotency-key': 'rotate-1' },
      });

    const first = await rotate();
    const again = await rotate();

    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
  });

  it('mends an endpoint whose stored secret is damaged: the new one signs alone', async () => {
    const scene = await anEndpointScene(door);
    await scene.rows(
      "update webhook_endpoints set secret = left(secret, -4) || 'AAAA' where id = $1",
    );

    const { body } = await scene.call('POST', '/rotate');

    expect(body.previous_valid_until).toBe(now.toISOString());
    expect(await signing(scene, now)).toEqual([body.secret]);
  });

  it('waits for a key that is not configured, rather than losing the secret that receivers know', async () => {
    const scene = await anEndpointScene(door);
    await scene.rows(
      "update webhook_endpoints set secret = replace(secret, '|test|', '|lost|') where id = $1",
    );

    const refused = await scene.call('POST', '/rotate');

    expect([refused.status, refused.body.error.code]).toEqual([503, 'unavailable']);
    expect(await scene.rows('select secret_version from webhook_endpoints where id = $1')).toEqual([
      { secret_version: 1 },
    ]);
  });
});
