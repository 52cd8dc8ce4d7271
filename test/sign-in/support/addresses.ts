import { randomBytes } from 'node:crypto';
import { aPerson, PASSWORD, type TestPerson } from '../../support/people.ts';
import type { SignInScene, TestBrowser } from './scene.ts';

export const freshAddress = (): string => `${randomBytes(6).toString('hex')}@example.com`;

/** Sends the form for another address. */
export const ask = (browser: TestBrowser, email: string, current = PASSWORD) =>
  browser.send('/account/email', '/account/email', { email, current });

/** Presses the button of the link's page. */
export const use = (browser: TestBrowser, link: string) => browser.send(link, link, {});

/** The link of that kind in the latest mail; "" if there is none. */
export const linkIn = ({ mails }: SignInScene, kind: string): string =>
  new RegExp(`http://api\\.test(${kind}/[\\w-]{43})\n`).exec(mails.at(-1)?.text ?? '')?.[1] ?? '';

export async function signedInPerson(
  scene: SignInScene,
): Promise<TestPerson & { browser: TestBrowser }> {
  const person = await aPerson(scene.ctx);
  const browser = scene.browser();
  await browser.signIn(person.email, PASSWORD);
  return { ...person, browser };
}

/** The link that moves this browser's person to that address. */
export async function linkFor(
  scene: SignInScene,
  browser: TestBrowser,
  email: string,
): Promise<string> {
  await ask(browser, email);
  return linkIn(scene, '/account/email');
}
