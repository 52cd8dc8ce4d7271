import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Locator, Page } from 'playwright-core';
import { sendCampaign } from '../../src/campaigns/states/transitions.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { startCampaign } from '../../src/relay/reactions.ts';
import { type Operated, openOperated, type Thing } from '../cli/support/operated.ts';
import { openBrowser } from '../support/browser.ts';
import { devServerUi } from '../support/env.ts';
import { aCampaign } from '../support/factories/campaigns.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { eventually } from '../support/waiting.ts';

let operated: Operated;
let receiver: Receiver;
let browser: Browser;
let ui: string;
beforeAll(async () => {
  [receiver, browser, ui] = await Promise.all([startReceiver(), openBrowser(), devServerUi()]);
  operated = await openOperated(`${receiver.origin}/hooks`);
});
afterAll(async () => {
  await browser?.close();
  await operated?.close();
  await receiver?.close();
});

const SHOTS = process.env['SCREENSHOTS'];

async function shoot(page: Page, name: string): Promise<void> {
  if (SHOTS) await page.screenshot({ path: `${SHOTS}/${name}.png` });
}

/** Ten messages a minute: it is under way for longer than a test may take. */
async function aSlowCampaign(): Promise<Thing> {
  const { ctx, database } = operated.shell;
  const { organizationId } = ctx;
  const people = await Promise.all(Array.from({ length: 50 }, () => aContact(ctx)));
  const { id: numberId } = await aNumber(ctx);
  const contactIds = people.map(({ id }) => id);
  const draft = { number_id: numberId, contact_ids: contactIds, pace: 10 };
  const { id } = await aCampaign(ctx, draft);
  await sendCampaign(ctx, id);
  const statuses = (): Promise<{ status: string }[]> =>
    inWorkspace(database, organizationId, (sql) =>
      sql.rows('select status from campaigns where id = $1', [id]),
    );
  const status = async (): Promise<string> => (await statuses())[0]?.status ?? 'gone';
  return { id, start: startCampaign(organizationId, id, ctx.actor.id ?? ''), status };
}

async function begun(thing: Thing): Promise<Thing> {
  await operated.begin(thing);
  return thing;
}

/** The list of what goes on in the workspace, as the UI shows it. */
async function openList(): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1400, height: 1000 } });
  page.setDefaultTimeout(60_000);
  const query = `WmsWorkspaceId="${operated.shell.ctx.organizationId}"`;
  await page.goto(`${ui}/namespaces/default/workflows?query=${encodeURIComponent(query)}`);
  return page;
}

/** From the list to the page of one, once the list has it. */
async function openFromList({ start }: Thing): Promise<Page> {
  const page = await openList();
  const link = page.getByRole('link', { name: start.workflowId, exact: true });
  while (!(await link.isVisible())) {
    await link.waitFor({ timeout: 3_000 }).catch(() => page.reload());
  }
  await shoot(page, 'list');
  await link.click();
  await shown(page.getByRole('button', { name: 'Request Cancellation' })).waitFor();
  return page;
}

/** Buttons are there twice, for wide screens and for narrow ones. */
const shown = (locator: Locator): Locator => locator.filter({ visible: true });

const press = (within: Page | Locator, name: string): Promise<void> =>
  shown(within.getByRole('button', { name, exact: true })).click();

async function choose(page: Page, action: string): Promise<Locator> {
  await press(page, 'More Actions');
  await shown(page.getByRole('menuitem', { name: action, exact: true })).click();
  return shown(page.getByRole('dialog'));
}

const openTab = (page: Page, name: string): Promise<void> =>
  shown(page.getByRole('tab', { name, exact: true })).click();

/** What a text in Markdown reads like: the UI renders each in a frame of its own. */
const rendered = (page: Page, text: RegExp): Promise<void> =>
  eventually(async () => {
    const frames = page.frames().filter((frame) => frame.url().includes('/render?'));
    const texts = await Promise.all(
      frames.map((frame) =>
        frame
          .locator('body')
          .innerText()
          .catch(() => ''),
      ),
    );
    return texts.some((found) => text.test(found));
  });

describe('the Temporal UI in a browser', () => {
  it('shows a campaign under way in words, and its Cancel leaves the campaign cancelled', async () => {
    const campaign = await begun(await aSlowCampaign());
    const page = await openFromList(campaign);
    await shown(page.getByText(/wait for the pace, \d+ left/))
      .first()
      .waitFor();
    await shoot(page, 'campaign');

    await openTab(page, 'User Metadata');
    await rendered(page, /^Sends a campaign to its audience/);
    await rendered(page, /Cancel here ends the campaign: what is in flight settles/);
    await rendered(page, /Open in the console/);
    await rendered(page, /stage\s+sent\s+delivered\s+lost\s+left[\s\S]*sending\s+\d+/);
    await shoot(page, 'campaign-words');
    // The UI reads them when the page opens, which may have been before the stage was written.
    await page.reload();
    await openTab(page, 'Search Attributes');
    const { organizationId } = operated.shell.ctx;
    for (const value of [`"${organizationId}"`, `"${campaign.id}"`, '"sending"'])
      await shown(page.getByText(value)).first().waitFor();
    await shoot(page, 'campaign-attributes');

    await press(page, 'Request Cancellation');
    await press(shown(page.getByRole('dialog')), 'Confirm');
    await eventually(async () => (await campaign.status()) === 'cancelled');

    await shown(page.getByText('Canceled', { exact: true }))
      .first()
      .waitFor();
    await shoot(page, 'campaign-cancelled');
    const { json } = await operated.shell.wmsAnywhere('ops', 'explain', campaign.id, '--json');
    expect(json).toMatchObject({ agree: true, workflow: { state: 'cancelled' } });
    await page.close();
  });

  it('terminates a run of an automation, whose row wms ops reconcile ends as the operator wanted', async () => {
    const run = await begun(await operated.make.run());
    const page = await openFromList(run);
    await shoot(page, 'run');

    const dialog = await choose(page, 'Terminate');
    await dialog.getByRole('textbox').fill('it ignores Cancel');
    await press(dialog, 'Terminate');
    await shown(page.getByText('Terminated', { exact: true }))
      .first()
      .waitFor();
    await shoot(page, 'run-terminated');
    const before = await run.status();
    const { json } = await operated.shell.wmsAnywhere('ops', 'reconcile', run.id, '--json');

    expect(before).toBe('waiting');
    expect(json).toMatchObject({ agree: true, done: 'The row was ended, and its workflow told.' });
    expect(await run.status()).toBe('cancelled');
    await page.close();
  });

  it('offers the signals of a webhook that is tried again with a sentence each, and sendNow delivers it', async () => {
    const delivery = await begun(await operated.make.delivery());
    const page = await openFromList(delivery);
    await shown(page.getByText('attempt 2 of 12')).first().waitFor();
    await shoot(page, 'delivery');

    const dialog = await choose(page, 'Send a Signal');
    await press(dialog, 'Select a signal');
    await shown(page.getByText('Try at once, without waiting for its time')).waitFor();
    await shown(page.getByText(/The delivery or its endpoint changed/)).waitFor();
    await shoot(page, 'signals');
    await shown(page.getByRole('option', { name: /^sendNow/ })).click();
    await press(dialog, 'Submit');
    await receiver.waitFor(1);

    await shown(page.getByText('Completed', { exact: true }))
      .first()
      .waitFor();
    await shoot(page, 'delivery-delivered');
    expect(await delivery.status()).toBe('succeeded');
    await page.close();
  });
});
