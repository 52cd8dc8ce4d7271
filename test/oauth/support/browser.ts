import type { Approval } from '../../../src/oauth/consent/approving.ts';
import type { InteractionView } from '../../../src/oauth/consent/asked.ts';
import type { CookieBrowser } from '../../support/cookie-browser.ts';

export interface Asked {
  /** The consent page's address. */
  readonly page: string;
  readonly view: InteractionView;
}

/** Goes to the authorization endpoint, and on to the consent page. */
export async function ask(browser: CookieBrowser, address: string | URL): Promise<Asked> {
  const response = await browser.fetch(address);
  const page = response.headers.get('location') ?? '';
  if (response.status !== 303 || !page.includes('/oauth/authorize/'))
    throw new Error(`${response.status} ${page} ${await response.text()}`);
  const shown = await browser.fetch(page);
  return { page, view: (await shown.json()) as InteractionView };
}

/**
 * Answers at the consent page; the app's address with what it is told there.
 *
 * @param reached where an address is reached in fact
 */
export async function answer(
  browser: CookieBrowser,
  { page }: Pick<Asked, 'page'>,
  approval: Approval | null,
  reached = (address: string): string => address,
): Promise<URL> {
  const headers = approval ? { 'x-test-approval': JSON.stringify(approval) } : undefined;
  const answered = await browser.fetch(page, { method: 'POST', ...(headers ? { headers } : {}) });
  if (answered.status !== 303) throw new Error(`${answered.status} ${await answered.text()}`);
  const resumed = await browser.fetch(reached(answered.headers.get('location') ?? ''));
  if (resumed.status !== 303) throw new Error(`${resumed.status} ${await resumed.text()}`);
  return new URL(resumed.headers.get('location') ?? '');
}
