import { beforeEach, describe, expect, it } from '@jest/globals';
import { createAttempts } from '../../src/people/attempts.ts';
import { testKeyring } from '../support/factories/numbers.ts';
import { opened } from '../support/opened.ts';
import { aPerson, PASSWORD } from '../support/people.ts';
import { aSignInScene } from './support/scene.ts';

const scene = opened(aSignInScene);
beforeEach(() => scene.freshCounters());

const wrongly = async (email: string, times: number): Promise<number[]> => {
  const browser = scene.browser();
  const tries = Array.from({ length: times }, () => browser.signIn(email, 'wrong horse'));
  return (await Promise.all(tries)).map(({ status }) => status);
};
const many = (statuses: readonly number[], status: number): number =>
  statuses.filter((one) => one === status).length;

describe('guessing passwords', () => {
  it('is stopped after five, also at the same moment and with the right one', async () => {
    const { email } = await aPerson(scene.ctx);

    const statuses = await wrongly(email, 9);
    const right = await scene.browser().signIn(email, PASSWORD);

    expect([many(statuses, 422), many(statuses, 429)]).toEqual([5, 4]);
    expect(right.status).toBe(429);
    expect(right.html).toContain('Too many attempts. Try again in 15 minutes.');
    expect(Number(right.headers.get('retry-after'))).toBeGreaterThan(840);
  });

  it('is counted for unknown accounts as for known ones', async () => {
    const statuses = await wrongly('nobody@example.com', 7);

    expect([many(statuses, 422), many(statuses, 429)]).toEqual([5, 2]);
  });

  it('stops nobody else, and is forgiven by the right password', async () => {
    const guessed = await aPerson(scene.ctx);
    const other = await aPerson(scene.ctx);
    await wrongly(guessed.email, 6);

    expect((await scene.browser().signIn(other.email, PASSWORD)).status).toBe(303);
    expect(many(await wrongly(other.email, 4), 422)).toBe(4);
    expect((await scene.browser().signIn(other.email, PASSWORD)).status).toBe(303);
    expect(many(await wrongly(other.email, 4), 422)).toBe(4);
  });

  it('is counted by account over all addresses, and by address over all accounts', async () => {
    const attempts = createAttempts({ database: scene.database, keyring: testKeyring });
    const waits = async (from: (n: number) => { email: string; ip: string }): Promise<number> => {
      for (let n = 0; n < 100; n += 1) if (await attempts.password(from(n))) return n;
      return 100;
    };

    const account = await waits((n) => ({ email: 'ana@example.com', ip: `203.0.113.${n}` }));
    const address = await waits((n) => ({ email: `ana${n}@example.com`, ip: '198.51.100.1' }));
    const network = await waits((n) => ({
      email: `bia${n}@example.com`,
      ip: `2001:db8:1:2:${n}::1`,
    }));

    expect([account, address, network]).toEqual([20, 60, 60]);
    const more = { email: 'nobody.yet@example.com', ip: '198.51.100.1' };
    const rows = () => scene.database.system.query('select from sign_in_attempts');
    const { rowCount: before } = await rows();
    expect(await attempts.password(more)).toMatchObject({ ofAccount: false });
    expect((await rows()).rowCount).toBe(before);
  });

  it('counts nothing against an address from which many sign in with the right one', async () => {
    const attempts = createAttempts({ database: scene.database, keyring: testKeyring });
    const waits: unknown[] = [];

    for (let n = 0; n < 61; n += 1) {
      const from = { email: `caio${n}@example.com`, ip: '198.51.100.2' };
      waits.push(await attempts.password(from));
      await attempts.forgive(from);
    }

    expect(new Set(waits)).toEqual(new Set([null]));
  });

  it('is counted without storing who was tried', async () => {
    await wrongly('secret.name@example.com', 1);

    const { rows } = await scene.database.system.query<{ key: string }>(
      'select key from sign_in_attempts',
    );
    expect(rows).toHaveLength(3);
    expect(rows.map(({ key }) => key).join()).not.toContain('secret');
  });

  it('of the current password on the account page counts too', async () => {
    const { email } = await aPerson(scene.ctx);
    const browser = scene.browser();
    await browser.signIn(email, PASSWORD);
    const guess = async (): Promise<number> =>
      (
        await browser.send('/account', '/account/password', {
          current: 'wrong horse',
          password: 'a new password',
        })
      ).status;

    const statuses = [];
    for (let n = 0; n < 7; n += 1) statuses.push(await guess());

    expect(statuses).toEqual([422, 422, 422, 422, 422, 429, 429]);
  });
});
