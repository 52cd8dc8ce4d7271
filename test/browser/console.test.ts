import { beforeAll, expect, it } from '@jest/globals';
import { createDeal } from '../../src/pipelines/service.ts';
import { sendTestEvent } from '../../src/webhooks/deliveries/testing.ts';
import { openSeenScene, type SeenScene, shoot } from '../console/support/browsing.ts';
import { NO_ANSWER } from '../console/support/every-page.ts';
import { accessibilityFindings, complaintsOf } from '../support/browser.ts';
import { anAutomation } from '../support/factories/automations.ts';
import { aCampaign } from '../support/factories/campaigns.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation } from '../support/factories/conversations.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aPipeline } from '../support/factories/pipelines.ts';
import { aSegment } from '../support/factories/segments.ts';
import { anEndpoint } from '../support/factories/webhooks.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';

const scene = opened(() => openSeenScene([NO_ANSWER]));
beforeAll(async () => {
  await aNumber(scene.ctx, { name: 'Vendas' });
  await aSegment(scene.ctx, { name: 'Clientes' });
});

const open: SeenScene['open'] = (...asked) => scene.open(...asked);

it('makes a key by keyboard alone, without a script, and shows it once', async () => {
  const page = await open('/api-keys', { javaScriptEnabled: false });
  const keys = page.keyboard;
  await keys.press('Tab');
  await keys.press('Enter');
  await page.getByRole('link', { name: 'Create a key' }).focus();
  await keys.press('Enter');
  await page.waitForURL(/api-keys\/new/);
  await page.getByRole('textbox', { name: 'Name' }).focus();
  await keys.type('Loja');
  await page.getByLabel('Read the messages of conversations.').focus();
  await keys.press('Space');
  await keys.press('Enter');
  await page.waitForURL(/api-keys$/);

  expect(await page.getByRole('status').textContent()).toContain('The key “Loja” is ready.');
  const shown = await page.getByLabel('The new API key').textContent();
  expect(shown).toMatch(/^sk_live_[0-9a-f]{32}$/);
  await shoot(page, 'key-once');
  await page.reload();
  expect(await page.content()).not.toContain(shown ?? '-');
  await page.context().close();
});

it('says at the field what is wrong, and takes the reader there', async () => {
  const page = await open('/webhooks/new');
  await page.getByLabel('Name').fill('Loja');
  await page.getByLabel('Address').fill('https://10.0.0.1/hooks');
  await page.waitForSelector('#url-check .problem');
  await page.getByLabel('A person wrote.').check();
  await page.getByRole('button', { name: 'Add an endpoint' }).click();
  await page.waitForSelector('.summary');

  expect(await page.title()).toMatch(/^This could not be done/);
  await page.locator('.summary a').first().click();
  await page.locator('#f-url:focus').waitFor();
  expect(await page.getByLabel('Name').inputValue()).toBe('Loja');
  expect(await accessibilityFindings(page)).toEqual([]);
  await shoot(page, 'webhook-refused');
  await page.context().close();
});

it('shows what becomes of a delivery while it is looked at, without losing the place', async () => {
  const { id: endpointId } = await anEndpoint(scene.ctx, `${NO_ANSWER}/hooks`);
  await sendTestEvent(scene.ctx, endpointId, {});
  const page = await open(`/webhooks/${endpointId}`);
  const complaints = complaintsOf(page);
  await page.getByRole('link', { name: 'failed' }).focus();
  await rowsOf(
    scene.ctx,
    "update webhook_deliveries set status = 'failed', code = 503, finished_at = now() where endpoint_id = $1",
    [endpointId],
  );

  await page.waitForSelector('td >> text=503', { timeout: 60_000 });
  expect(await page.evaluate('document.activeElement.textContent')).toBe('failed');
  expect(complaints).toEqual([]);
  await page.context().close();
});

it('keeps what it shows while a refresh is refused, and takes who is signed out from its first page to the sign-in', async () => {
  const page = await open('/webhooks');
  await page.clock.install();
  const { id } = await anEndpoint(scene.ctx, `${NO_ANSWER}/hooks`);
  await page.goto(`${page.url()}/${id}`);
  const refreshed = async (status: number): Promise<void> => {
    const answer = page.waitForResponse((one) => one.url().endsWith(id) && one.status() === status);
    await page.clock.fastForward(5_000);
    await answer;
  };

  const refusal = { status: 503, contentType: 'text/html', body: '<h1>Busy</h1>' };
  await page.route(`**/${id}`, (route) => route.fulfill(refusal), { times: 1 });
  await refreshed(503);
  await refreshed(200);
  expect(await page.getByRole('heading', { name: 'Deliveries' }).count()).toBe(1);

  await page.goto(page.url().replace(/\/webhooks\/.*/, ''));
  await page.context().clearCookies();
  await page.clock.fastForward(60_000);
  await page.waitForURL(/\/sign-in\?next=/);
  await page.context().close();
});

it('says what does not fit in a definition, and how an automation would go, where a reader finds it', async () => {
  const { id } = await anAutomation(scene.ctx);
  const page = await open(`/automations/${id}`);
  const complaints = complaintsOf(page);
  const text = page.getByLabel('Definition', { exact: true });
  const written = await text.inputValue();
  await text.fill(written.replace('"send_message"', '"dance"'));
  await page.getByRole('button', { name: 'Save the draft' }).click();
  await page.getByRole('alert').getByText('One place does not fit').click();

  await page.locator('#f-definition:focus').waitFor();
  expect(await text.getAttribute('aria-describedby')).toContain('f-definition-error');
  expect(await page.locator('#f-definition-error').textContent()).toContain('steps[0].type');
  expect(await accessibilityFindings(page)).toEqual([]);
  await shoot(page, 'console-refused');

  await page.getByRole('link', { name: 'Try it' }).click();
  await page.getByRole('button', { name: 'Run it' }).click();
  await page.getByText('The conversation').waitFor();
  expect(await page.locator('.thread .ours').textContent()).toContain('Oi Ana!');
  expect([await accessibilityFindings(page), complaints]).toEqual([[], []]);
  await shoot(page, 'console-simulated');
  await page.context().close();
});

it('writes a campaign by keyboard alone, in Portuguese, without a script', async () => {
  const page = await open('/campaigns/new', { locale: 'pt-BR', javaScriptEnabled: false });
  const keys = page.keyboard;

  await page.getByLabel('Nome').focus();
  await keys.type('Natal');
  for (let i = 0; i < 3; i += 1) await keys.press('Tab');
  await keys.type('Oi {{name|cliente}}!');
  await page.getByRole('button', { name: 'Salvar o rascunho' }).focus();
  await keys.press('Enter');
  await page.waitForURL(/\/campaigns\/cmp_/);

  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Natal');
  expect(await page.getByRole('status').textContent()).toContain('Nada foi enviado ainda.');
  await page.context().close();
});

it('follows a campaign that is being sent, without anybody loading the page again', async () => {
  const { id: numberId } = await aNumber(scene.ctx);
  const { id: contactId } = await aContact(scene.ctx);
  const wishes = { name: 'Ao vivo', number_id: numberId, contact_ids: [contactId], pace: 60 };
  const { id } = await aCampaign(scene.ctx, wishes);
  const page = await open(`/campaigns/${id}`);

  await page.getByText('Send now').first().click();
  await page.getByRole('button', { name: 'Send now' }).click();
  await page.locator('.badge', { hasText: 'sending' }).waitFor();
  const elsewhere = await open(`/campaigns/${id}`);
  await elsewhere.getByText('Pause', { exact: true }).first().click();
  await elsewhere.getByRole('button', { name: 'Pause' }).click();
  await page.locator('.badge', { hasText: 'paused' }).waitFor();

  expect(await page.locator('#campaign').textContent()).toContain('Somebody paused it.');
  await page.locator('summary', { hasText: 'Resume' }).waitFor();
  expect(await page.locator('summary', { hasText: 'Pause' }).count()).toBe(0);
  await page.context().close();
  await elsewhere.context().close();
});

it('moves a deal by keyboard alone, in Portuguese, without a script', async () => {
  const { id: contactId } = await aContact(scene.ctx);
  const pipeline = await aPipeline(scene.ctx);
  const stage_id = pipeline.stages['Novo'] ?? '';
  await createDeal(scene.ctx, { contact_id: contactId, stage_id, title: 'Bolo azul' });
  const path = `/pipelines/${pipeline.id}`;
  const page = await open(path, { locale: 'pt-BR', javaScriptEnabled: false });
  const keys = page.keyboard;

  await page.getByLabel('Mover Bolo azul para').focus();
  // One letter: a browser forgets after a second what was typed before.
  await keys.type('G');
  await keys.press('Tab');
  await keys.press('Enter');
  await page.waitForURL(/#dea_/);

  expect(await page.getByRole('status').textContent()).toContain('O negócio foi movido.');
  const won = page.locator(`section[aria-labelledby="${pipeline.stages['Ganho']}"]`);
  expect(await won.getByRole('link').textContent()).toBe('Bolo azul');
  await page.context().close();
});

it('shows a new conversation in the inbox, without anybody loading the page again', async () => {
  const { id: numberId } = await aNumber(scene.ctx);
  const page = await open('/inbox?status=open');
  const complaints = complaintsOf(page);
  await page.getByText('No conversation here.').waitFor();

  const { id: contactId } = await aContact(scene.ctx, { name: 'Caio Prado' });
  await aConversation(scene.ctx, { numberId, contactId });

  await page.getByRole('link', { name: 'Caio Prado' }).waitFor({ timeout: 60_000 });
  expect(await page.locator('#conversations').count()).toBe(1);
  expect(complaints).toEqual([]);
  await page.context().close();
});

it('counts a segment while it is written, and says in the text where it is wrong', async () => {
  const page = await open('/segments/new', { locale: 'en-US' });
  await aContact(scene.ctx, { tags: ['vip'] });
  await page.getByLabel('Rules').fill('{"field":"tag","op":"has_any","value":["vip"]}');
  await page.getByRole('button', { name: 'Count without saving' }).click();
  await page.getByText('Matching now: 1').waitFor();
  await page.getByLabel('Name').fill('VIPs');
  await page.getByLabel('Rules').fill('{"field":"tag","op":"like","value":["vip"]}');
  await page.getByRole('button', { name: 'Save the segment' }).click();
  await page.locator('.summary').waitFor();

  expect(await page.locator('#f-rules-error').textContent()).toMatch(/^op: Must be one of/);
  expect(await accessibilityFindings(page)).toEqual([]);
  await shoot(page, 'console-segment-refused');
  await page.context().close();
});
