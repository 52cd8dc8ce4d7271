import { beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { addressOf, openSeenScene, type SeenScene, shoot } from '../console/support/browsing.ts';
import {
  type Addresses,
  aRecordForEveryPage,
  NO_ANSWER,
  shownPages,
} from '../console/support/every-page.ts';
import { type Stop, tabbableIn, tabThrough, tabTo } from '../console/support/keyboard.ts';
import { TASKS } from '../console/support/tasks.ts';
import { accessibilityFindings, complaintsOf, OF_COLOURS } from '../support/browser.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import { eventually } from '../support/waiting.ts';

const scene = opened(() => openSeenScene([NO_ANSWER]));
let addresses: Addresses;

beforeAll(async () => {
  addresses = await aRecordForEveryPage(scene.ctx);
});

const pages = shownPages.map(({ path }) => path);

const open: SeenScene['open'] = (...asked) => scene.open(...asked);

/** `/campaigns/:id/edit` as the name of a picture: `campaigns-id-edit`. */
const pictureOf = (path: string): string => path.slice(1).replaceAll(/[^a-z]+/g, '-') || 'home';

/** The address, and what stands in the content; "" while the browser is between two pages. */
const whereabouts = (page: Page): Promise<string> =>
  page
    .evaluate<string>('location.href + "\\n" + document.querySelector("main").innerText')
    .catch(() => '');

/** A browser that is on its way somewhere, by what was pressed last, may give up the way that is asked for now. */
const visit = (page: Page, path: string): Promise<unknown> => {
  const go = () => page.goto(addressOf(scene, addresses[path] ?? ''));
  return go().catch(async (error: Error) => {
    if (!error.message.includes('ERR_ABORTED')) throw error;
    await page.waitForLoadState();
    return go();
  });
};

/** By keyboard alone, from the top of the page. */
async function does(page: Page, path: string): Promise<void> {
  const task = TASKS[path];
  if (!task) throw new Error(`Nobody does anything on ${path}.`);
  await visit(page, path);
  for (const [i, step] of task.steps.entries()) {
    const [, name = step, text] = /^([^=]+)=(.*)$/.exec(step) ?? [];
    await tabTo(page, name, i === 0);
    if (text === undefined) await page.keyboard.press('Enter');
    else await page.keyboard.type(text);
  }
  await eventually(async () => task.then.test(await whereabouts(page)), {
    timeoutMs: 20_000,
    instead: () => path,
  });
}

it('shows every page with no finding of axe in light and dark, no complaint of the browser, and all of it by keyboard', async () => {
  const page = await open('');
  const complaints = complaintsOf(page);
  for (const path of pages) {
    await page.emulateMedia({ colorScheme: 'light' });
    await visit(page, path);
    const light = await accessibilityFindings(page);
    await shoot(page, `${pictureOf(path)}-light`);
    await page.emulateMedia({ colorScheme: 'dark' });
    const dark = await accessibilityFindings(page, OF_COLOURS);
    await shoot(page, `${pictureOf(path)}-dark`);
    expect({ path, light, dark, complaints }).toEqual({
      path,
      light: [],
      dark: [],
      complaints: [],
    });

    const inOrder = await tabbableIn(page, 'main');
    const stops = await tabThrough(page);
    expect({ path, stops: stops.map(({ name }: Stop) => name) }).toEqual({ path, stops: inOrder });
    expect({ path, unseen: stops.filter(({ ring }) => !ring) }).toEqual({ path, unseen: [] });
    await does(page, path);
  }
  await page.context().close();
}, 360_000);

it('fits every page on a phone, in Portuguese, with its own content on the first screen', async () => {
  await rowsOf(scene.ctx, "update stages set name = repeat('Negociação', 5) || position");
  const page = await open('', { viewport: { width: 360, height: 740 }, locale: 'pt-BR' });
  for (const path of pages) {
    await visit(page, path);
    const seen = await page.evaluate(
      '({ fits: document.documentElement.scrollWidth <= innerWidth, first: document.querySelector("h1").getBoundingClientRect().top < innerHeight / 2 })',
    );
    expect({ path, seen }).toEqual({ path, seen: { fits: true, first: true } });
    await shoot(page, `${pictureOf(path)}-phone`);
  }
  await page.goto(addressOf(scene, ''));
  const menu = page.getByRole('button', { name: 'Menu' });
  const links = page.getByRole('navigation', { name: 'Console' });
  expect(await links.isVisible()).toBe(false);
  await menu.focus();
  await page.keyboard.press('Enter');
  await links.waitFor();
  expect(await accessibilityFindings(page)).toEqual([]);
  await shoot(page, 'menu-phone');
  await page.keyboard.press('Escape');
  await links.waitFor({ state: 'hidden' });
  await page.context().close();
});
