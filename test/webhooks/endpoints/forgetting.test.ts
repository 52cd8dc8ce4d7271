import { describe, expect, it } from '@jest/globals';
import { forgetDeletedEndpoints, forgetPreviousSecrets } from '../../../src/webhooks/forgetting.ts';
import { createSigningKeys, type EndpointSecrets } from '../../../src/webhooks/signing/keys.ts';
import { testKeyring } from '../../support/factories/numbers.ts';
import { opened } from '../../support/opened.ts';
import { runUpkeep } from '../../support/upkeep.ts';
import { FAILED } from '../support/ended.ts';
import { anEndpointScene, type EndpointScene, openWebhookDoor } from '../support/endpoint-scene.ts';

const DAY_MS = 24 * 3_600_000;
const ROTATED = new Date('2026-11-21T12:00:00.000Z');
const later = (ms: number): Date => new Date(ROTATED.getTime() + ms);

const door = opened(() => openWebhookDoor({ clock: { now: () => ROTATED, skewMs: 0 } }));

async function stored({ rows }: EndpointScene): Promise<EndpointSecrets> {
  const [row] = await rows<EndpointSecrets>(
    `select organization_id as "organizationId", id as "endpointId", secret, previous_secret as "previousSecret",
       previous_valid_until as "previousValidUntil", secret_version as "secretVersion"
     from webhook_endpoints where id = $1`,
  );
  if (!row) throw new TypeError('There is no endpoint.');
  return row;
}

/** How many keys sign then, in a process that has not seen the endpoint before. */
const signing = async (scene: EndpointScene, at: Date): Promise<number> =>
  createSigningKeys(testKeyring).keysFor(await stored(scene), at).length;

describe('the previous secret', () => {
  it('is kept while it signs, and is gone from the database when its 24 hours are over', async () => {
    const scene = await anEndpointScene(door);
    await scene.call('POST', '/rotate');
    const last = later(DAY_MS - 1_000);

    expect(await forgetPreviousSecrets(door.database, last)).toBe(0);
    expect(await signing(scene, last)).toBe(2);
    expect(await forgetPreviousSecrets(door.database, later(DAY_MS))).toBe(1);

    expect(await stored(scene)).toMatchObject({ previousSecret: null, previousValidUntil: null });
    expect(await signing(scene, later(DAY_MS))).toBe(1);
    expect(await forgetPreviousSecrets(door.database, later(2 * DAY_MS))).toBe(0);
  });

  it('does not stop deliveries when only its own key is gone, once it signs no more', async () => {
    const scene = await anEndpointScene(door);
    await scene.call('POST', '/rotate');
    await scene.rows(
      `update webhook_endpoints set previous_secret = 'v1|gone|AAAAAAAAAAAAAAAA|AA|AAAAAAAAAAAAAAAAAAAAAA' where id = $1`,
    );

    expect(await signing(scene, later(DAY_MS))).toBe(1);
    await expect(signing(scene, later(DAY_MS - 1_000))).rejects.toThrow('unknown_key');
  });

  it('is removed by a workflow of its own', async () => {
    const scene = await anEndpointScene(door);
    await scene.call('POST', '/rotate');

    await runUpkeep({
      workflow: 'forgetOldSecrets',
      history: 'forget-old-secrets',
      database: door.database,
      now: later(DAY_MS),
    });

    expect((await stored(scene)).previousSecret).toBeNull();
  });
});

describe('a deleted endpoint', () => {
  it('is gone from the database with its secrets a month later, when no delivery of it is left', async () => {
    const ended = await anEndpointScene(door);
    const kept = await anEndpointScene(door);
    await ended.deliveries(1, FAILED);
    await ended.call('DELETE');
    const forgottenAfter = (days: number): Promise<number> =>
      forgetDeletedEndpoints(door.database, later(days * DAY_MS + 1));
    const left = async ({ rows }: EndpointScene): Promise<number> =>
      (await rows('select from webhook_endpoints where id = $1')).length;

    expect(await forgottenAfter(365)).toBe(0);
    await ended.rows('delete from webhook_deliveries where endpoint_id = $1');
    expect(await forgottenAfter(30)).toBe(0);
    expect([await left(ended), await forgottenAfter(31)]).toEqual([1, 1]);

    expect([await left(ended), await left(kept)]).toEqual([0, 1]);
    expect(await forgottenAfter(365)).toBe(0);
  });
});
