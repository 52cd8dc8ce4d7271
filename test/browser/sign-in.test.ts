import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { listAudit } from '../../src/audit/reading.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { createMailer } from '../../src/mail/mailer.ts';
import { createAttempts } from '../../src/people/attempts.ts';
import { inviteMember } from '../../src/people/invitations.ts';
import { arrivedAt, openAt, shoot, signIn } from '../sign-in/support/driving.ts';
import { aRealScene, type RealScene } from '../sign-in/support/real.ts';
import { accessibilityFindings, complaintsOf, openBrowser } from '../support/browser.ts';
import { testKeyring } from '../support/factories/numbers.ts';
import { aPerson, PASSWORD } from '../support/people.ts';
import { eventually } from '../support/waiting.ts';

let scene: RealScene;
let browser: Browser;
beforeAll(async () => {
  [scene, browser] = await Promise.all([aRealScene(), openBrowser()]);
});
beforeEach(() => scene.freshCounters());
afterAll(async () => {
  await browser?.close();
  await scene?.close();
});

const open = (path: string, options: BrowserContextOptions = {}): Promise<Page> =>
  openAt(browser, new URL(path, scene.baseUrl).href, options);

describe('the sign-in in a browser', () => {
  it('is done by keyboard alone, with no finding of axe and no complaint of the browser', async () => {
    const { email } = await aPerson(scene.ctx);
    const page = await open('/sign-in?next=/account');
    const complaints = complaintsOf(page);
    await shoot(page, 'sign-in');
    expect(await accessibilityFindings(page)).toEqual([]);

    await signIn(page, email);
    await arrivedAt(page, '/account');

    await shoot(page, 'account');
    expect(await accessibilityFindings(page)).toEqual([]);
    expect(await page.getByText(`· ${email}`).count()).toBe(1);
    await page.getByRole('button', { name: 'Sign out', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/sign-in?done=signed-out');
    expect(await page.getByText('You are signed out.').count()).toBe(1);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('explains errors in Portuguese and in dark mode, and works without JavaScript', async () => {
    const options = { locale: 'pt-BR', colorScheme: 'dark', javaScriptEnabled: false } as const;
    const page = await open('/sign-in?next=/account', options);

    await page.getByLabel('E-mail').fill('ninguem@example.com');
    await page.getByLabel('Senha').fill('errada errada');
    await page.getByRole('button', { name: 'Entrar' }).click();

    await shoot(page, 'sign-in-wrong-dark');
    expect(await page.getByRole('alert').textContent()).toContain('não conferem');
    expect(await page.getByLabel('E-mail').inputValue()).toBe('ninguem@example.com');
    await page.context().close();
  });

  it('sets a new password by the link in a mail', async () => {
    const { email } = await aPerson(scene.ctx);
    const page = await open('/sign-in');
    const complaints = complaintsOf(page);
    await page.getByRole('link', { name: 'Forgotten your password?' }).click();
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.getByLabel('E-mail address').fill(email);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Look into your mails' }).waitFor();
    await eventually(async () => (await scene.mailsTo(email)).length === 1);

    const [text = ''] = await scene.mailsTo(email);
    await page.goto(/http\S+/.exec(text)?.[0] ?? '');
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.keyboard.type('a fresh password');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/sign-in?done=reset');

    await shoot(page, 'reset-done');
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('moves to another address by the link in a mail to it', async () => {
    const { email } = await aPerson(scene.ctx);
    const to = 'casada@example.com';
    const page = await open('/sign-in?next=/account');
    const complaints = complaintsOf(page);
    await signIn(page, email);
    await arrivedAt(page, '/account');
    await page.getByRole('link', { name: 'Change your e-mail address' }).click();
    await page.getByLabel('New e-mail address').fill(to);
    await page.getByLabel('Current password').fill('a wrong one');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    await shoot(page, 'email-wrong');
    expect(await accessibilityFindings(page)).toEqual([]);
    expect(await page.getByLabel('New e-mail address').inputValue()).toBe(to);
    await page.getByLabel('Current password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByText(`A link is on its way to ${to}`).waitFor();

    const [text = ''] = await scene.mailsTo(to);
    await page.goto(/http\S+/.exec(text)?.[0] ?? '');
    await shoot(page, 'email-change');
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Use this address' }).click();
    await page.waitForURL('**/account?done=email');

    await shoot(page, 'email-changed');
    expect(await page.getByText(`· ${to} ·`).count()).toBe(1);
    expect(await scene.mailsTo(email)).toEqual([expect.stringContaining(`signs in with ${to}`)]);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('lets an invited person in by the link in a mail', async () => {
    const email = 'convidada@example.com';
    const page = await open('/sign-in');
    const [text = ''] = await invited(email);
    await page.goto(/http\S+/.exec(text)?.[0] ?? '');
    await shoot(page, 'invitation');
    expect(await accessibilityFindings(page)).toEqual([]);

    await page.keyboard.type('a password of her own');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/console/${scene.ctx.organizationId}`);

    await page.goto(`${scene.baseUrl}/account`);
    expect(await page.getByText(email).count()).toBe(1);
    await page.context().close();
  });
});

async function invited(email: string): Promise<string[]> {
  const mailer = createMailer({ url: scene.smtpUrl, from: 'no-reply@example.com' });
  const attempts = createAttempts({ database: scene.database, keyring: testKeyring });
  const parts = { mailer, baseUrl: scene.baseUrl, attempts };
  await inviteMember(scene.ctx, parts, { email, name: 'Convidada', role: 'agent' });
  mailer.close();
  return scene.mailsTo(email);
}

/** What the workspace's log says that a member did. */
async function loggedOf(memberId: string): Promise<unknown[]> {
  const { organizationId } = scene.ctx;
  const entries = await inWorkspace(scene.database, organizationId, (sql) =>
    listAudit({ sql, organizationId }, { before: null, limit: 1_000 }),
  );
  const own = entries.filter(({ actor }) => actor.id === memberId).toReversed();
  return own.map(({ action, changes }) => [action, changes[0]?.to]);
}

/** From the account page; a page opened before signing out has arrived would be replaced by it. */
async function signOutAndBack(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await arrivedAt(page, '/sign-in');
  await page.goto(`${scene.baseUrl}/sign-in?next=/account`);
}

describe('passkeys in a browser', () => {
  it('are added, sign the person in without a password, are removed, and all of it is in the log', async () => {
    const { email, memberId } = await aPerson(scene.ctx);
    const page = await open('/sign-in?next=/account');
    const complaints = complaintsOf(page);
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('WebAuthn.enable');
    await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    await signIn(page, email);
    await arrivedAt(page, '/account');

    await page.getByLabel('Name').fill('My laptop');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.waitForURL('**/account?done=passkey');
    await shoot(page, 'account-passkey');
    expect(await accessibilityFindings(page)).toEqual([]);
    expect(await scene.mailsTo(email)).toEqual([expect.stringContaining('A passkey was added')]);
    await signOutAndBack(page);
    let sent = '';
    page.on('request', (request) => {
      if (request.url().endsWith('/sign-in/passkey')) sent = request.postData() ?? '';
    });
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await arrivedAt(page, '/account');

    expect(await page.getByText(`· ${email}`).count()).toBe(1);
    const again = await fetch(`${scene.baseUrl}/sign-in/passkey`, {
      method: 'POST',
      body: new URLSearchParams(sent),
      redirect: 'manual',
    });
    expect(again.headers.get('location')).toContain('done=no-passkey');
    expect(again.headers.get('set-cookie')).toBeNull();
    await page.locator('summary', { hasText: 'Remove My laptop' }).click();
    await shoot(page, 'account-passkey-removal');
    await page.getByRole('button', { name: 'Remove My laptop' }).click();
    await page.waitForURL('**/account?done=passkey-removed');
    expect(await scene.mailsTo(email)).toEqual([
      expect.stringContaining('A passkey was added'),
      expect.stringContaining('A passkey was removed'),
    ]);
    await signOutAndBack(page);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByText('The passkey did not work.').filter({ visible: true }).first().waitFor();
    expect(await loggedOf(memberId)).toEqual([
      ['member.signed_in', 'password'],
      ['member.passkey_added', 'My laptop'],
      ['member.signed_in', 'passkey'],
      ['member.passkey_removed', null],
    ]);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('ask for a new sign-in where the page has been open for longer than one counts', async () => {
    const { email, memberId } = await aPerson(scene.ctx);
    const page = await open('/sign-in?next=/account');
    await signIn(page, email);
    await arrivedAt(page, '/account');
    await scene.database.system.query(
      `update person_sessions set signed_in_at = now() - interval '11 minutes'
       where user_id = (select user_id from members where id = $1)`,
      [memberId],
    );

    await page.getByRole('button', { name: 'Add a passkey' }).click();

    await page.getByRole('link', { name: 'Sign in again to add a passkey' }).waitFor();
    await page.context().close();
  });
});
