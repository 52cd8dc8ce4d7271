import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { openBrowser } from '../../support/browser.ts';
import { aConsoleScene, type ConsoleScene } from './scene.ts';

const ORIGIN = 'http://console.test';
const SCREENSHOTS = process.env['SCREENSHOTS'];

/** A browser that finds the scene at its own base address, so that origin and cookies are the real ones. */
const openConsoleBrowser = ({ api }: ConsoleScene): Promise<Browser> =>
  openBrowser([`--host-resolver-rules=MAP console.test 127.0.0.1:${api.port}`]);

/** A scene of the console that is looked at through a browser, in English unless told. */
export interface SeenScene extends ConsoleScene {
  /** The Owner, signed in, at a page of the workspace. */
  open(path: string, options?: BrowserContextOptions): Promise<Page>;
}

/** @param origins servers on loopback that the workspace may send to */
export async function openSeenScene(
  origins: readonly string[] = [],
  usual: BrowserContextOptions = {},
): Promise<SeenScene> {
  await using closing = new AsyncDisposableStack();
  const scene = await aConsoleScene(origins);
  closing.defer(() => scene.close());
  const browser = await openConsoleBrowser(scene);
  closing.defer(() => browser.close());
  const kept = closing.move();
  return {
    ...scene,
    open: (path, options) =>
      openConsole(browser, scene, path, { locale: 'en-US', ...usual, ...options }),
    close: () => kept.disposeAsync(),
  };
}

/** The address of a page of the scene's workspace. */
export const addressOf = ({ base }: ConsoleScene, path: string): string =>
  `${ORIGIN}${base}${path}`;

/** The Owner, signed in, at a page of the console. */
async function openConsole(
  browser: Browser,
  scene: ConsoleScene,
  path: string,
  options: BrowserContextOptions = {},
): Promise<Page> {
  const context = await browser.newContext(options);
  const { token } = scene.people.owner;
  await context.addCookies([
    { name: 'wms_session', value: token, domain: new URL(ORIGIN).hostname, path: '/' },
  ]);
  const page = await context.newPage();
  await page.goto(addressOf(scene, path));
  return page;
}

/** Keeps a picture where `SCREENSHOTS` names a folder. */
export async function shoot(page: Page, name: string): Promise<void> {
  if (SCREENSHOTS) await page.screenshot({ path: `${SCREENSHOTS}/${name}.png`, fullPage: true });
}
