import { expect, it } from '@jest/globals';
import { verifyPassword } from '../../src/people/passwords.ts';

const filled = (size: number): string => Buffer.alloc(size, 'a').toString('base64');
/** Takes no time to verify. */
const CHEAP = `$argon2id$v=19$m=8,t=1,p=1$${filled(15)}$${filled(30)}`;

it('where two passwords are verified, a hundred wait; whoever comes then is told to try again, for a moment', async () => {
  const all = Array.from({ length: 103 }, () => verifyPassword('uma senha comprida', CHEAP));

  const refused = (await Promise.allSettled(all)).filter(({ status }) => status === 'rejected');

  expect(refused).toMatchObject([{ reason: { code: 'unavailable' } }]);
  expect(await verifyPassword('uma senha comprida', CHEAP)).toBe(false);
});
