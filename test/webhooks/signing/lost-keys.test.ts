import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { createKeyring } from '../../../src/crypto/keyring.ts';
import { sqlOver } from '../../../src/db/database.ts';
import { rotateSecret } from '../../../src/webhooks/rotating.ts';
import { decodeSecret, signatureHeaders } from '../../../src/webhooks/signing/signature.ts';
import { testKeyring } from '../../support/factories/numbers.ts';
import { anEndpoint, sentEvents } from '../../support/factories/webhooks.ts';
import { aWorkspace } from '../../support/factories/workspaces.ts';
import { relayScene } from '../../support/relay-scene.ts';
import { sealAgain } from '../../support/sealing.ts';
import { eventually } from '../../support/waiting.ts';

const { scene, start, stop } = relayScene();
const TEST_KEY = `test:${Buffer.alloc(32, 7).toString('base64')}`;
const FRESH_KEY = `fresh:${randomBytes(32).toString('base64')}`;

async function anEvent() {
  const { ctx, workspaceId } = await aWorkspace(scene.database);
  const { id, secret } = await anEndpoint(ctx, `${scene.receiver.origin}/${workspaceId}`);
  const row = async () => {
    const [delivery] = await sqlOver(scene.database.system).rows<Record<string, unknown>>(
      `select status, attempts, error, lease_token is not null or lease_until > now() as taken
       from webhook_deliveries where endpoint_id = $1`,
      [id],
    );
    return delivery;
  };
  const send = () => sentEvents(scene.database, workspaceId);
  return { ctx, id, secret, row, send };
}

function signedBy(secret: string): boolean {
  const [request] = scene.receiver.received;
  const headers = request?.headers ?? {};
  const id = headers['webhook-id'] ?? '';
  const timestamp = Number(headers['webhook-timestamp']);
  const expected = signatureHeaders({ id, timestamp, body: request?.body ?? '' }, [
    decodeSecret(secret),
  ]);
  return headers['webhook-signature'] === expected['webhook-signature'];
}

describe('a key that was removed although it is needed', () => {
  it('makes deliveries wait without an attempt, and lets them go once it is back', async () => {
    const { secret, row, send } = await anEvent();
    const without = await start({ parts: { keyring: createKeyring(FRESH_KEY) } });
    await send();
    await eventually(async () => (await row())?.['taken'] === true);
    await eventually(async () => (await row())?.['status'] === 'pending');
    expect(await row()).toMatchObject({ status: 'pending', attempts: 0, error: null });
    expect(scene.receiver.received).toEqual([]);
    await stop(without);

    await start({ parts: { keyring: testKeyring } });

    await eventually(async () => (await row())?.['status'] === 'succeeded');
    expect(await row()).toMatchObject({ attempts: 1 });
    expect(signedBy(secret)).toBe(true);
  });
});

describe('a key that was rotated', () => {
  it('can be removed: deliveries go on, signed with the secret that was shown', async () => {
    const { secret, row, send } = await anEvent();
    const both = createKeyring(`${FRESH_KEY},${TEST_KEY}`);
    await sealAgain({ database: scene.database, keyring: both });

    await start({ parts: { keyring: createKeyring(FRESH_KEY) } });
    await send();

    await eventually(async () => (await row())?.['status'] === 'succeeded');
    expect(signedBy(secret)).toBe(true);
  });
});

describe('a key that is lost for good', () => {
  const lost = createKeyring(`${FRESH_KEY},test:lost`);

  it('is replaced by rotating: the new secret signs alone, also what waited, under the id it had', async () => {
    const { ctx, id, row, send } = await anEvent();
    const [event] = await send();
    const before = new Date();

    await expect(rotateSecret(ctx, id, createKeyring(FRESH_KEY))).rejects.toMatchObject({
      code: 'unavailable',
    });
    const { secret, previous_valid_until: until } = await rotateSecret(ctx, id, lost);
    await start({ parts: { keyring: lost } });

    expect(Date.parse(until) - before.getTime()).toBeLessThan(60_000);
    await eventually(async () => (await row())?.['status'] === 'succeeded');
    expect(scene.receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([event]);
    expect(signedBy(secret)).toBe(true);
  });

  it('fails no delivery for good before its 24 hours: each is tried again until there is a new secret', async () => {
    const { row, send } = await anEvent();
    await start({ parts: { keyring: lost } });
    await send();

    await eventually(async () => (await row())?.['attempts'] === 1);
    expect(await row()).toMatchObject({ status: 'retrying', error: 'internal' });
    expect(scene.receiver.received).toEqual([]);
  });
});
