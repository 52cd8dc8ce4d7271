import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { PASSWORD } from '../../support/people.ts';

const SHOTS = process.env['SCREENSHOTS'];

export async function shoot(page: Page, name: string): Promise<void> {
  if (SHOTS) await page.screenshot({ path: `${SHOTS}/${name}.png`, fullPage: true });
}

/** A page in a browser profile of its own. */
export async function openAt(
  browser: Browser,
  address: string,
  options: BrowserContextOptions = {},
): Promise<Page> {
  const context = await browser.newContext({ locale: 'en-US', ...options });
  const page = await context.newPage();
  await page.goto(address);
  return page;
}

/** Waits until the page is another one, whatever its query says. */
export const arrivedAt = (page: Page, path: string): Promise<void> =>
  page.waitForURL(({ pathname }) => pathname === path);

/** By keyboard: the e-mail address gets the focus, though a browser gives it a moment after the page is there. */
export async function signIn(page: Page, email: string): Promise<void> {
  await page.locator('input[type=email]:focus').waitFor();
  await page.keyboard.type(email);
  await page.keyboard.press('Tab');
  await page.keyboard.type(PASSWORD);
  await page.keyboard.press('Enter');
}
