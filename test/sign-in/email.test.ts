import { beforeEach, describe, expect, it } from '@jest/globals';
import { listAudit } from '../../src/audit/reading.ts';
import { asSystem, inWorkspace } from '../../src/db/database.ts';
import { suspendMember } from '../../src/members/changing.ts';
import { hashPassword } from '../../src/people/passwords.ts';
import { setPassword } from '../../src/people/signing-in.ts';
import { untilWaiting } from '../support/database.ts';
import { everythingStored } from '../support/everything-stored.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { opened } from '../support/opened.ts';
import { aPerson, PASSWORD } from '../support/people.ts';
import { eventually } from '../support/waiting.ts';
import { ask, freshAddress, linkFor, linkIn, signedInPerson, use } from './support/addresses.ts';
import { aSignInScene, csrfIn } from './support/scene.ts';

const scene = opened(aSignInScene);
beforeEach(() => {
  scene.mails.length = 0;
  return scene.freshCounters();
});

describe('the e-mail address of a person', () => {
  it('is changed by a link that goes to the new one, in each of their workspaces, and the former is told', async () => {
    const there = await aWorkspace(scene.database);
    const { email, memberId, browser } = await signedInPerson(scene);
    const other = await aPerson(there.ctx, { email });
    await suspendMember(there.ctx, other.memberId);
    const to = freshAddress();

    const asked = await ask(browser, to.toUpperCase());
    const link = linkIn(scene, '/account/email');
    const looked = await browser.get(link);
    const before = await scene.browser().signIn(email, PASSWORD);
    const done = await use(browser, link);

    expect(asked.html).toContain(to);
    expect([looked.html.includes(email), looked.html.includes(to)]).toEqual([true, true]);
    expect([before.status, done.location]).toEqual([303, '/account?done=email']);
    expect((await browser.get('/account')).html).toContain(` · ${to} · `);
    expect((await scene.browser().signIn(email, PASSWORD)).status).toBe(422);
    expect((await scene.browser().signIn(to, PASSWORD)).status).toBe(303);
    expect(scene.mails.map((mail) => [mail.to, mail.subject])).toEqual([
      [to, 'Confirm your new e-mail address'],
      [email, 'Your e-mail address was changed'],
    ]);
    const { rows } = await scene.database.system.query(
      'select id, email from members where id = any($1)',
      [[memberId, other.memberId]],
    );
    expect(new Map(rows.map((one) => [one.id, one.email]))).toEqual(
      new Map([
        [memberId, to],
        [other.memberId, to],
      ]),
    );
  });

  it('is written down where they are active', async () => {
    const { email, memberId, browser } = await signedInPerson(scene);
    const to = freshAddress();

    await use(browser, await linkFor(scene, browser, to));

    const { organizationId } = scene.ctx;
    const entries = await inWorkspace(scene.database, organizationId, (sql) =>
      listAudit({ sql, organizationId }, { before: null, limit: 10 }),
    );
    const [entry] = entries.filter(({ target }) => target.id === memberId);
    expect(entry).toMatchObject({
      action: 'member.email_changed',
      actor: { type: 'member', id: memberId },
      changes: [{ field: 'email', from: email, to }],
    });
  });

  it('stays without the password, for an address that is none, and for the one they have', async () => {
    const { email, browser } = await signedInPerson(scene);

    const wrong = await ask(browser, 'fresh@example.com', 'wrong horse');
    const none = await ask(browser, 'fresh@example');
    const same = await ask(browser, email.toUpperCase());

    expect([wrong.status, none.status, same.status]).toEqual([422, 422, 422]);
    expect(wrong.html).toContain('id="f-current-error"');
    expect(wrong.html).toContain('value="fresh@example.com"');
    expect(none.html).toContain('id="f-email-error"');
    expect(none.html).toContain('value="fresh@example"');
    expect(scene.mails).toEqual([]);
  });

  it('is changed by nobody but its person: a stranger at the new address, or at the sign-in, gets nowhere', async () => {
    const { email, browser } = await signedInPerson(scene);
    const stranger = await signedInPerson(scene);
    const link = await linkFor(scene, browser, freshAddress());
    const signedOut = scene.browser();

    const asked = await signedOut.get(link);
    const pressed = await signedOut.post(link, {});
    const theirs = await stranger.browser.get(link);
    const fields = { _csrf: csrfIn((await stranger.browser.get('/account')).html) };
    const pressedByThem = await stranger.browser.post(link, fields);

    const signIn = `/sign-in?next=${encodeURIComponent(link)}`;
    expect([asked.status, asked.location]).toEqual([303, signIn]);
    expect([pressed.status, pressed.location]).toEqual([303, `${signIn}&done=unsent`]);
    expect([theirs.status, pressedByThem.status]).toEqual([404, 404]);
    expect(theirs.html).not.toContain(email);
    expect((await signedOut.signIn(email, PASSWORD, link)).location).toBe(link);
    expect((await use(signedOut, link)).location).toBe('/account?done=email');
  });

  it('is changed by the latest link alone: an address that was mistyped is taken back by asking again', async () => {
    const { browser } = await signedInPerson(scene);
    const mistyped = await linkFor(scene, browser, freshAddress());
    const right = await linkFor(scene, browser, freshAddress());

    expect((await browser.get(mistyped)).status).toBe(404);
    expect((await use(browser, right)).status).toBe(303);
  });

  it('is changed once by a double click, both of which lead to the account', async () => {
    const { email, browser } = await signedInPerson(scene);
    const to = freshAddress();
    const link = await linkFor(scene, browser, to);
    const page = (await browser.get(link)).html;
    const fields = {
      _csrf: csrfIn(page),
      email: /name="email" value="([^"]+)"/.exec(page)?.[1] ?? '',
    };

    const done = await Promise.all([browser.post(link, fields), browser.post(link, fields)]);

    expect(done.map(({ location }) => location)).toEqual(Array(2).fill('/account?done=email'));
    expect(scene.mails.map((mail) => mail.to)).toEqual([to, email]);
    expect((await browser.post(link, { ...fields, email })).status).toBe(404);
  });

  it('has links that work once, also at the same moment, for an hour, stored as hashes', async () => {
    const { email, browser } = await signedInPerson(scene);
    const late = await linkFor(scene, browser, freshAddress());
    const stored = await everythingStored(scene.database.url);
    const token = late.split('/').at(-1) ?? '';
    scene.setNow(new Date(Date.now() + 3_600_001));
    const expired = await browser.get(late);
    scene.setNow(null);
    const link = await linkFor(scene, browser, freshAddress());

    const fields = { _csrf: csrfIn((await browser.get(link)).html) };

    const tries = Array.from({ length: 4 }, () => browser.post(link, fields));
    const statuses = (await Promise.all(tries)).map(({ status }) => status).toSorted();

    expect(stored.filter(({ value }) => value.includes(token))).toEqual([]);
    expect(expired.status).toBe(404);
    expect(statuses).toEqual([303, 404, 404, 404]);
    expect((await scene.browser().signIn(email, PASSWORD)).status).toBe(422);
  });

  it('stays if the password is chosen anew before the link is used: whoever knew the former one may have asked', async () => {
    const { email, browser } = await signedInPerson(scene);
    const link = await linkFor(scene, browser, freshAddress());
    await scene.browser().post('/reset-password', { email });
    await eventually(() => linkIn(scene, '/reset-password') !== '');

    const reset = await scene
      .browser()
      .post(linkIn(scene, '/reset-password'), { password: 'a new one' });

    expect(reset.status).toBe(303);
    await browser.signIn(email, 'a new one');
    expect((await browser.get(link)).status).toBe(404);
  });

  it('is not asked for with a password that is being replaced just now', async () => {
    const { userId, browser } = await signedInPerson(scene);

    const [asked] = await asSystem(scene.database, async (sql) => {
      await setPassword({ sql, now: new Date() }, userId, await hashPassword('a new one'));
      const asking = ask(browser, freshAddress());
      await untilWaiting(scene.database.system);
      return [asking] as const;
    });

    expect((await asked).status).toBe(422);
    expect(scene.mails).toEqual([]);
  });

  it('once changed, leaves no link in the former mailbox that chooses a password', async () => {
    const { email, browser } = await signedInPerson(scene);
    await scene.browser().post('/reset-password', { email });
    await eventually(() => linkIn(scene, '/reset-password') !== '');
    const old = linkIn(scene, '/reset-password');

    await use(browser, await linkFor(scene, browser, freshAddress()));

    expect((await scene.browser().get(old)).status).toBe(404);
  });

  it('is mailed for three times an hour to one address, and changed by no page of another site', async () => {
    const { browser } = await signedInPerson(scene);
    const to = freshAddress();
    const link = await linkFor(scene, browser, to);
    const fields = { _csrf: csrfIn((await browser.get(link)).html) };

    const foreign = await browser.post(link, fields, { origin: 'https://evil.example' });
    const tokenless = await browser.post(link, {});
    const again = [await ask(browser, to), await ask(browser, to)];
    const last = linkIn(scene, '/account/email');
    const refused = await ask(browser, to);
    const statuses = [...again, refused, await browser.get(last)].map(({ status }) => status);

    expect([foreign.status, tokenless.status]).toEqual([403, 403]);
    expect(statuses).toEqual([200, 200, 429, 200]);
  });
});
