import { beforeEach, describe, expect, it } from '@jest/globals';
import { asSystem } from '../../src/db/database.ts';
import { hashPassword } from '../../src/people/passwords.ts';
import { resetLink } from '../../src/people/resets.ts';
import { isStillTheirs, setPassword, signIn } from '../../src/people/signing-in.ts';
import { untilWaiting } from '../support/database.ts';
import { everythingStored } from '../support/everything-stored.ts';
import { opened } from '../support/opened.ts';
import { aPerson, PASSWORD } from '../support/people.ts';
import { eventually } from '../support/waiting.ts';
import { freshAddress } from './support/addresses.ts';
import { aSignInScene } from './support/scene.ts';

const scene = opened(aSignInScene);
beforeEach(() => {
  scene.mails.length = 0;
  return scene.freshCounters();
});

const request = { id: 'req_1', ip: null, userAgent: null };

const FRESH = 'a fresh password';

const linkIn = (text: string): string =>
  /http:\/\/api\.test(\/reset-password\/[\w-]{43})\n/.exec(text)?.[1] ?? '';

async function linkFor(email: string): Promise<string> {
  const before = scene.mails.length;
  await scene.browser().post('/reset-password', { email });
  await eventually(() => scene.mails.length > before);
  return linkIn(scene.mails.at(-1)?.text ?? '');
}

describe('a forgotten password', () => {
  it('is replaced by a link that is mailed, which signs every browser out', async () => {
    const { email } = await aPerson(scene.ctx);
    const browser = scene.browser();
    await browser.signIn(email, PASSWORD);

    const link = await linkFor(email.toUpperCase());
    const page = await scene.browser().get(link);
    const short = await scene.browser().post(link, { password: 'short' });
    const done = await scene.browser().post(link, { password: FRESH });

    expect(page.html).toContain(email);
    expect(short.status).toBe(422);
    expect([done.status, done.location]).toEqual([303, '/sign-in?done=reset']);
    expect((await browser.get('/account')).status).toBe(303);
    expect((await browser.signIn(email, PASSWORD)).status).toBe(422);
    expect((await browser.signIn(email, FRESH)).status).toBe(303);
    expect(scene.mails.map(({ to, subject }) => [to, subject])).toEqual([
      [email, 'Choose a new password'],
      [email, 'Your password was changed'],
    ]);
  });

  it('gets no link in the mailbox of an address that is being changed just now', async () => {
    const { email, userId } = await aPerson(scene.ctx);

    const [link] = await asSystem(scene.database, async (sql) => {
      await sql.rows('update people set email = $2 where id = $1', [userId, freshAddress()]);
      const asking = resetLink(scene.parts, email);
      await untilWaiting(scene.database.system);
      return [asking] as const;
    });

    expect(await link).toBeNull();
  });

  it('lets nobody in who was just being let in by the former one', async () => {
    const { email, userId } = await aPerson(scene.ctx);
    const link = await linkFor(email);
    const thieves = Array.from({ length: 8 }, () => scene.browser());

    const signingIn = thieves.map((thief) => thief.signIn(email, PASSWORD));
    const done = await scene.browser().post(link, { password: FRESH });
    await Promise.all(signingIn);

    expect(done.status).toBe(303);
    const { rows } = await scene.database.system.query(
      'select from person_sessions where user_id = $1',
      [userId],
    );
    expect(rows).toEqual([]);
  });

  it('is answered alike for addresses that nobody has, to which no mail goes', async () => {
    const { email } = await aPerson(scene.ctx);

    const known = await scene.browser().post('/reset-password', { email });
    await eventually(() => scene.mails.length > 0);
    const unknown = await scene.browser().post('/reset-password', { email: 'x@example.com' });
    await linkFor(email);

    expect(unknown.html).toBe(known.html);
    expect(scene.mails.map(({ to }) => to)).toEqual([email, email]);
  });

  it('has links that work once, also at the same moment, and all others of the person end with it', async () => {
    const { email } = await aPerson(scene.ctx);
    const first = await linkFor(email);
    const second = await linkFor(email);

    const tries = Array.from({ length: 5 }, () => scene.browser().post(first, { password: FRESH }));
    const statuses = (await Promise.all(tries)).map(({ status }) => status).toSorted();

    expect(statuses).toEqual([303, 404, 404, 404, 404]);
    expect((await scene.browser().get(first)).status).toBe(404);
    expect((await scene.browser().get(second)).status).toBe(404);
  });

  it('has no link any more for whoever changes the password while it is used', async () => {
    const { email, userId } = await aPerson(scene.ctx);
    const link = await linkFor(email);
    const known = await signIn(scene.parts, { email, password: PASSWORD, request });
    const chosen = await hashPassword('another password');

    const { used } = await asSystem(scene.database, async (sql) => {
      const tx = { sql, now: new Date() };
      const right = 'userId' in known && (await isStillTheirs(tx, known));
      const used = scene.browser().post(link, { password: FRESH });
      await untilWaiting(scene.database.system);
      if (right) await setPassword(tx, userId, chosen);
      return { used };
    });

    expect((await used).status).toBe(404);
    expect((await scene.browser().signIn(email, FRESH)).status).toBe(422);
    expect((await scene.browser().signIn(email, 'another password')).status).toBe(303);
  });

  it('lets in whoever was locked out by the guesses of others', async () => {
    const { email } = await aPerson(scene.ctx);
    const link = await linkFor(email);
    const guess = (): Promise<unknown> => scene.browser().signIn(email, 'wrong horse');
    for (let n = 0; n < 6; n += 1) await guess();
    const locked = await scene.browser().signIn(email, PASSWORD);

    await scene.browser().post(link, { password: FRESH });

    expect(locked.status).toBe(429);
    expect((await scene.browser().signIn(email, FRESH)).status).toBe(303);
  });

  it('has links for an hour, stored as hashes', async () => {
    const { email } = await aPerson(scene.ctx);
    const link = await linkFor(email);
    const token = link.split('/').at(-1) ?? '';
    const stored = await everythingStored(scene.database.url);

    scene.setNow(new Date(Date.now() + 3_600_001));
    const late = await scene.browser().post(link, { password: FRESH });
    scene.setNow(null);

    expect(stored.filter(({ value }) => value.includes(token))).toEqual([]);
    expect(late.status).toBe(404);
    expect((await scene.browser().signIn(email, PASSWORD)).status).toBe(303);
  });

  it('is mailed three times an hour to one address, and not at all for another site', async () => {
    const { email } = await aPerson(scene.ctx);
    const ask = async (headers = {}): Promise<number> =>
      (await scene.browser().post('/reset-password', { email }, headers)).status;

    const foreign = await ask({ origin: 'https://evil.example' });
    const statuses = [await ask(), await ask(), await ask(), await ask()];

    expect(foreign).toBe(403);
    expect(statuses).toEqual([200, 200, 200, 429]);
  });
});
