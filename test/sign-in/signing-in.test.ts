import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { everythingStored } from '../support/everything-stored.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { opened } from '../support/opened.ts';
import { aPerson, PASSWORD } from '../support/people.ts';
import { aSignInScene } from './support/scene.ts';

const scene = opened(aSignInScene);
beforeEach(() => scene.freshCounters());

const DAY_MS = 86_400_000;
const tokenOf = (cookie: string): string => cookie.slice(cookie.indexOf('=') + 1);

describe('signing in', () => {
  it('lets a person in with the e-mail address in any case, and leads on to where they wanted to go', async () => {
    const { email } = await aPerson(scene.ctx);
    const browser = scene.browser();

    const before = await browser.get('/account');
    const answer = await browser.signIn(` ${email.toUpperCase()}`, PASSWORD, '/account');

    expect([before.status, before.location]).toEqual([303, '/sign-in?next=%2Faccount']);
    expect([answer.status, answer.location]).toEqual([303, '/account']);
    expect((await browser.get('/account')).html).toContain(email);
    expect((await browser.get('/sign-in?next=/account')).location).toBe('/account');
  });

  it('gives a cookie that scripts and other sites do not get, and that is stored as a hash alone', async () => {
    const { email } = await aPerson(scene.ctx);
    const browser = scene.browser();

    const answer = await browser.signIn(email, PASSWORD);

    const cookie = answer.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(
      /^wms_session=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/,
    );
    const token = tokenOf(browser.cookie);
    const hash = createHash('sha256').update(token).digest('hex');
    const stored = await everythingStored(scene.database.url);
    expect(stored.filter(({ value }) => value.includes(token) || value.includes(PASSWORD))).toEqual(
      [],
    );
    expect(stored.filter(({ value }) => value === `\\x${hash}`)).toHaveLength(1);
  });

  it('answers an unknown account, a wrong password and an invited person alike', async () => {
    const { email } = await aPerson(scene.ctx);
    const invited = await aPerson(scene.ctx, {});
    await scene.database.system.query('update people set password_hash = null where id = $1', [
      invited.userId,
    ]);
    const browser = scene.browser();
    const said = async (who: string, password: string): Promise<unknown> => {
      const { status, html, headers } = await browser.signIn(who, password);
      return [status, html.replaceAll(who, 'X'), headers.get('set-cookie')];
    };

    const wrong = await said(email, 'wrong horse');

    expect(wrong).toEqual([422, expect.stringContaining('do not belong together'), null]);
    expect(await said('nobody@example.com', PASSWORD)).toEqual(wrong);
    expect(await said(invited.email, PASSWORD)).toEqual(wrong);
    expect((await browser.signIn('', '')).status).toBe(422);
    expect(browser.cookie).toBe('');
  });

  it('gives a new session each time, and the one that the browser had before is over', async () => {
    const first = await aPerson(scene.ctx);
    const second = await aPerson(scene.ctx);
    const browser = scene.browser();
    browser.cookie = 'wms_session=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
    await browser.signIn(first.email, PASSWORD);
    const old = browser.cookie;

    await browser.signIn(second.email, PASSWORD);

    expect(tokenOf(old)).not.toMatch(/^A+$/);
    expect(browser.cookie).not.toBe(old);
    expect((await browser.get('/account')).html).toContain(second.email);
    const left = scene.browser();
    left.cookie = old;
    expect((await left.get('/account')).status).toBe(303);
  });

  it('is one account in several workspaces, whose first password stays', async () => {
    const { email, userId } = await aPerson(scene.ctx);
    const other = await aWorkspace(scene.database, { name: 'Oficina Sul' });
    const there = await aPerson(other.ctx, {
      email: email.toUpperCase(),
      password: 'another horse',
    });
    const browser = scene.browser();

    expect((await browser.signIn(email, 'another horse')).status).toBe(422);
    await browser.signIn(email, PASSWORD);

    const { html } = await browser.get('/account');
    expect(there.userId).toBe(userId);
    expect(html).toContain('Padaria Aurora');
    expect(html).toContain('Oficina Sul');
  });

  it.each([
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '/%0d%0aSet-Cookie:x',
    'javascript:alert(1)',
    '/\t/evil.example',
    'account',
    '/é',
    `/${'a'.repeat(2_000)}`,
  ])('never leads on to another site: %j', async (next) => {
    const { email } = await aPerson(scene.ctx);
    const browser = scene.browser();

    const { status, location } = await browser.signIn(email, PASSWORD, next);

    expect(status).toBe(303);
    expect(['/console', '/%0d%0aSet-Cookie:x']).toContain(location);
    expect((await browser.get(`/sign-in?next=${encodeURIComponent(next)}`)).location).toBe(
      location,
    );
  });

  it('asks again when told so, with a person signed in', async () => {
    const { email } = await aPerson(scene.ctx);
    const browser = scene.browser();
    await browser.signIn(email, PASSWORD);

    const { status, html } = await browser.get('/sign-in?again=1&next=/account');

    expect(status).toBe(200);
    expect(html).toContain('sign in once more');
    expect(html).toContain(`value="${email}"`);
  });
});

describe('a session', () => {
  it('ends by signing out, which only our own page can do', async () => {
    const { email } = await aPerson(scene.ctx);
    const browser = scene.browser();
    await browser.signIn(email, PASSWORD);
    const stolen = scene.browser();
    stolen.cookie = browser.cookie;

    const forged = await browser.post('/sign-out', { _csrf: 'x' });
    const still = await browser.get('/account');
    const out = await browser.send('/sign-out', '/sign-out', {});

    expect([forged.status, still.status]).toEqual([403, 200]);
    expect([out.status, out.location]).toEqual([303, '/sign-in?done=signed-out']);
    expect(browser.cookie).toBe('');
    expect(out.headers.get('clear-site-data')).toBe('"cache"');
    expect((await stolen.get('/account')).status).toBe(303);
  });

  it('that ended while a form was filled in is said at the sign-in', async () => {
    const sent = await scene.browser().post('/account/apps', { connection: 'con_1' });
    expect(sent.location).toBe('/sign-in?next=%2Faccount&done=unsent');
    const { html } = await scene.browser().get('/sign-in?next=/console/x&done=unsent');
    expect(html).toContain('nothing was saved');
  });

  it('ends after 14 days without use, and after 30 whatever happens', async () => {
    const { email } = await aPerson(scene.ctx);
    const browser = scene.browser();
    const start = Date.now();
    await browser.signIn(email, PASSWORD);
    const on = async (day: number): Promise<number> => {
      scene.setNow(new Date(start + day * DAY_MS));
      return (await browser.get('/account')).status;
    };

    expect([await on(13), await on(26), await on(29.9), await on(30.1)]).toEqual([
      200, 200, 200, 303,
    ]);
    scene.setNow(null);
    await browser.signIn(email, PASSWORD);
    expect([await on(14.1)]).toEqual([303]);
    scene.setNow(null);
  });

  it('is seen and ended from the account page, one by one or all others', async () => {
    const { email } = await aPerson(scene.ctx);
    const here = scene.browser();
    const phone = scene.browser();
    const desk = scene.browser();
    for (const browser of [phone, here, desk]) await browser.signIn(email, PASSWORD);
    const stranger = await aPerson(scene.ctx);
    const elsewhere = scene.browser();
    await elsewhere.signIn(stranger.email, PASSWORD);
    const ids = async (): Promise<string[]> =>
      [...(await here.get('/account')).html.matchAll(/name="session" value="(ses_\w+)"/g)].map(
        ([, id]) => id ?? '',
      );
    const [one = ''] = await ids();
    const { rows } = await scene.database.system.query<{ id: string }>(
      'select id from person_sessions where user_id = $1',
      [stranger.userId],
    );

    await here.send('/account', '/account/sessions', { session: one });
    const left = await ids();
    await here.send('/account', '/account/sessions', { session: rows[0]?.id ?? '' });
    await here.send('/account', '/account/sessions', {});

    expect(left).toHaveLength(1);
    expect(left).not.toContain(one);
    expect(await ids()).toEqual([]);
    const open = [here, phone, desk, elsewhere].map(
      async (who) => (await who.get('/account')).status,
    );
    expect(await Promise.all(open)).toEqual([200, 303, 303, 200]);
  });
});

describe('changing the password', () => {
  const change = (fields: Record<string, string>) =>
    ['/account', '/account/password', fields] as const;

  it('needs the current one, tells the person, and signs out every other browser and every copy of this one', async () => {
    const { email } = await aPerson(scene.ctx);
    const here = scene.browser();
    const other = scene.browser();
    await here.signIn(email, PASSWORD);
    await other.signIn(email, PASSWORD);

    const wrong = await here.send(...change({ current: 'wrong', password: 'a new password' }));
    const short = await here.send(...change({ current: PASSWORD, password: 'short' }));
    const common = await here.send(...change({ current: PASSWORD, password: 'Password123' }));
    const stolen = scene.browser();
    stolen.cookie = here.cookie;
    const done = await here.send(...change({ current: PASSWORD, password: 'a new password' }));

    expect([wrong.status, short.status, common.status]).toEqual([422, 422, 422]);
    expect(short.html).toContain('A password has 8 to 200 characters.');
    expect(common.html).toContain('This password is among the first that are guessed.');
    expect([done.status, done.location]).toEqual([303, '/account?done=password']);
    const inside = [here, other, stolen].map(async (who) => (await who.get('/account')).status);
    expect(await Promise.all(inside)).toEqual([200, 303, 303]);
    expect(scene.mails.map(({ to, subject }) => [to, subject])).toEqual([
      [email, 'Your password was changed'],
    ]);
    expect((await other.signIn(email, PASSWORD)).status).toBe(422);
    expect((await other.signIn(email, 'a new password')).status).toBe(303);
  });
});
