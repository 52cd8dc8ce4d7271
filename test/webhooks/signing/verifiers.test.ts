import { describe, expect, it } from '@jest/globals';
import { verifyWebhook, WebhookRefused } from '../../../clients/typescript/src/index.ts';
import { NOW, verifyCases } from '../../support/verifying/cases.ts';
import { acceptedBy, publicVerifiers } from '../../support/verifying/public.ts';

describe('a delivery', () => {
  it.each(verifyCases.filter(({ publicly }) => publicly))(
    'with $name is judged as ours do by the public verifiers',
    ({ secrets: [secret = ''], headers, body, now, fault }) => {
      const accepting = fault === null ? publicVerifiers : [];

      expect(acceptedBy(secret, { headers, body }, now)).toEqual(accepting);
    },
  );

  it.each(verifyCases)('with $name is judged alike by our client', async (given) => {
    const { secrets, headers, body, now, fault } = given;

    const found = await verifyWebhook(headers, body, secrets, { now: now * 1_000 }).then(
      () => null,
      (error: unknown) => (error instanceof WebhookRefused ? error.fault : String(error)),
    );

    expect(found).toBe(fault);
  });

  it('is refused by our client from the first millisecond after 5 minutes', async () => {
    const [{ headers, body, secrets } = { headers: {}, body: '', secrets: [] }] = verifyCases;
    const at = (now: number) => verifyWebhook(headers, body, secrets, { now });

    await expect(at(NOW * 1_000 + 300_000)).resolves.toBeDefined();
    await expect(at(NOW * 1_000 + 300_001)).rejects.toThrow('tolerance');
    await expect(at(NOW * 1_000 - 300_001)).rejects.toThrow('tolerance');
  });

  it('is verified by our client from headers however a platform writes their names', async () => {
    const [{ headers, body, secrets } = { headers: {}, body: '', secrets: [] }] = verifyCases;
    const large = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]),
    );

    for (const given of [large, new Headers(headers)])
      expect(await verifyWebhook(given, body, secrets, { now: NOW * 1_000 })).toMatchObject({
        type: 'message.received',
      });
  });
});
