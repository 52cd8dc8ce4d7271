import { beforeEach, expect, it } from '@jest/globals';
import { createKeyring } from '../../../src/crypto/keyring.ts';
import { createSafeSender } from '../../../src/net/sender.ts';
import { createSigningKeys, secretPlace } from '../../../src/webhooks/signing/keys.ts';
import { createWebhookSender } from '../../../src/webhooks/signing/sender.ts';
import { testKeyring } from '../../support/factories/numbers.ts';
import { opened } from '../../support/opened.ts';
import { startReceiver } from '../../support/receiver.ts';
import { attemptOf } from '../support/attempts.ts';

const receiver = opened(startReceiver);

const OTHER_KEY = createKeyring(`other:${Buffer.alloc(32, 9).toString('base64')}`);
const counted: string[] = [];
beforeEach(() => {
  counted.length = 0;
});

/** The kinds of outcomes of one attempt at each of these addresses. */
async function attempts(keyring: typeof testKeyring, urls: readonly string[]): Promise<string[]> {
  const sender = createSafeSender({
    trustedOrigins: [receiver.origin],
    resolve: async (name) =>
      name === 'nowhere.example.com'
        ? { kind: 'none' }
        : { kind: 'unavailable', reason: 'ETIMEOUT' },
    controlNames: ['control.example.com'],
  });
  const webhooks = createWebhookSender(sender, createSigningKeys(keyring), (reason) =>
    counted.push(reason),
  );
  const attempt = attemptOf(1);
  const secret = testKeyring.encrypt(
    `whsec_${Buffer.alloc(24).toString('base64')}`,
    secretPlace(attempt),
  );
  const outcomes = urls.map((url) => webhooks.attempt({ ...attempt, secret, url }, new Date()));
  const kinds = (await Promise.all(outcomes)).map(({ kind }) => kind);
  await sender.close();
  return kinds;
}

it('counts an attempt that a missing key postpones', async () => {
  expect(await attempts(OTHER_KEY, [receiver.origin])).toEqual(['infrastructure']);
  expect(counted).toEqual(['missing_key']);
});

it('counts an attempt that our own resolver postpones', async () => {
  expect(await attempts(testKeyring, ['https://hooks.example.com/'])).toEqual(['infrastructure']);
  expect(counted).toEqual(['resolver']);
});

it('counts nothing that an endpoint answers for, well or badly', async () => {
  const urls = [receiver.origin, 'https://nowhere.example.com/', 'http://127.0.0.1:1/'];

  expect(await attempts(testKeyring, urls)).toEqual(['delivered', 'blocked', 'blocked']);
  expect(counted).toEqual([]);
});
