import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { docsMounts } from '../../src/docs/mounts.ts';
import { openApiMount } from '../../src/http/openapi/document.ts';
import { decodeSecret, newSecret, signatureHeaders } from '../../src/webhooks/signing/signature.ts';
import {
  accessibilityFindings,
  complaintsOf,
  OF_COLOURS,
  openBrowser,
} from '../support/browser.ts';
import { everyRoute } from '../support/every-route.ts';
import { type OpenDoor, openDoor } from '../support/http.ts';

const BASE = 'http://api.test';

const SHOTS = process.env['SCREENSHOTS'];
async function shoot(page: Page, name: string): Promise<void> {
  if (SHOTS) await page.screenshot({ path: `${SHOTS}/${name}.png`, fullPage: true });
}

let door: OpenDoor;
let browser: Browser;
beforeAll(async () => {
  const mounts = [openApiMount(everyRoute, BASE), ...docsMounts(everyRoute, BASE)];
  [door, browser] = await Promise.all([
    openDoor({ routes: everyRoute, baseUrl: BASE, mounts }),
    openBrowser(),
  ]);
});
afterAll(async () => {
  await browser?.close();
  await door?.close();
});

describe('the documentation in a browser', () => {
  it.each([
    ['light', 1280, undefined],
    ['dark', 1280, OF_COLOURS],
    ['light', 360, ['target-size']],
  ] as const)(
    'has, in %s and %i pixels wide, no finding of axe, no complaint and no request to elsewhere',
    async (colorScheme, width, rules) => {
      const context = await browser.newContext({ colorScheme, viewport: { width, height: 800 } });
      const page = await context.newPage();
      const complaints = complaintsOf(page);
      const asked: string[] = [];
      page.on('request', (request) => asked.push(request.url()));

      for (const path of [
        '/docs',
        '/docs/webhooks',
        '/docs/receiving-webhooks',
        '/docs/writing-automations',
        '/docs/verify-webhook',
        '/docs/events',
        '/docs/errors/validation',
      ]) {
        await page.goto(door.api.url + path);
        const loaded = asked.length;
        // The closed parts are read too.
        await page.evaluate(
          `document.querySelectorAll('details').forEach((part) => { part.open = true; })`,
        );
        const wider = await page.evaluate(
          'document.documentElement.scrollWidth > document.documentElement.clientWidth',
        );
        const findings = await accessibilityFindings(page, rules);
        expect([path, wider, findings]).toEqual([path, false, []]);
        expect(asked.length).toBe(loaded);
      }

      expect(asked.filter((url) => !url.startsWith(door.api.url))).toEqual([]);
      expect(complaints).toEqual([]);
      await context.close();
    },
  );

  it('is walked through by the keyboard, past the navigation at will', async () => {
    const page = await browser.newPage();
    await page.goto(`${door.api.url}/docs/contacts`);

    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');

    await page.waitForFunction(`location.hash === '#content'`);
    await page.keyboard.press('Tab');
    expect(await page.evaluate(`document.activeElement.closest('main') !== null`)).toBe(true);
  });

  it.each(['light', 'dark'] as const)(
    'verifies a pasted delivery by keyboard, in %s, and nothing of it leaves the page',
    async (colorScheme) => {
      const page = await browser.newPage({ colorScheme, viewport: { width: 1280, height: 900 } });
      const complaints = complaintsOf(page);
      await page.goto(`${door.api.url}/docs/verify-webhook`);
      await page.getByRole('button', { name: 'Verify' }).waitFor();
      const asked: string[] = [];
      page.on('request', (request) => asked.push(request.url()));
      const { keyboard } = page;
      const write = async (text: string): Promise<void> => {
        await keyboard.insertText(text);
        await keyboard.press('Tab');
      };
      const secret = newSecret();
      const body = JSON.stringify({ id: 'evt_1', type: 'message.sent', text: 'Olá 👋' });
      const timestamp = Math.floor(Date.now() / 1_000);
      const headers = signatureHeaders({ id: 'evt_1', timestamp, body }, [decodeSecret(secret)]);
      const answer = page.getByRole('status');

      await page.getByLabel('Secret').focus();
      await write(secret);
      for (const [name, value] of Object.entries(headers))
        await keyboard.insertText(`${name}: ${value}\n`);
      await keyboard.press('Tab');
      await write(body);
      await keyboard.press('Tab');
      await keyboard.press('Enter');
      await answer.getByRole('heading', { name: 'Verified', exact: true }).waitFor();
      expect(await page.evaluate(`document.activeElement.id`)).toBe('answer');
      await shoot(page, `verified-${colorScheme}`);
      expect(await accessibilityFindings(page)).toEqual([]);

      await page.getByLabel('Body').fill(body.replace('Olá', 'Adeus'));
      await page.getByLabel('Secret').focus();
      await keyboard.press('Enter');
      await answer.getByRole('heading', { name: 'The body was changed' }).waitFor();
      await shoot(page, `refused-${colorScheme}`);

      expect([await accessibilityFindings(page), asked, complaints]).toEqual([[], [], []]);
      expect(page.url()).toBe(`${door.api.url}/docs/verify-webhook`);
      await page.close();
    },
  );
});
