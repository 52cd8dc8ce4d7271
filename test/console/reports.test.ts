import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation, someMessages } from '../support/factories/conversations.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { itIsNoon } from '../support/noon.ts';
import { aConsoleScene, type ConsoleScene } from './support/scene.ts';

let scene: ConsoleScene;

beforeAll(async () => {
  scene = await aConsoleScene();
  await itIsNoon(scene.ctx);
  const { id: numberId } = await aNumber(scene.ctx, { name: 'Vendas <1>' });
  const { id: contactId } = await aContact(scene.ctx);
  const conversationId = await aConversation(scene.ctx, { numberId, contactId });
  const sent = { numberId, contactId, conversationId, sentAt: scene.ctx.now };
  await someMessages(scene.ctx, { ...sent, count: 3, status: 'sent' });
  await someMessages(scene.ctx, { ...sent, count: 2, status: 'delivered' });
  await someMessages(scene.ctx, { ...sent, status: 'failed' });
});
afterAll(() => scene?.close());

it('shows what was sent as a chart, and the same figures as a table', async () => {
  const { status, text } = await scene.people.viewer.get(`${scene.base}/reports?period=today`);

  expect(status).toBe(200);
  expect(text).toMatch(/<dt>Attempted<\/dt><dd>6/);
  expect(text).toMatch(
    /<svg viewBox="[^"]+" role="img" aria-label="Of each day’s messages, delivered"/,
  );
  expect(text).toMatch(/<td data-label="Messages">2<\/td>/);
  expect(text).toContain('Vendas &lt;1&gt;');
  expect(text).toContain('aria-current="true">today</a>');
});

it('accounts for every message: delivered, lost for whatever reason, or on its way', async () => {
  const { text } = await scene.people.viewer.get(`${scene.base}/reports?period=today`);

  expect(text).toMatch(/<dt>Delivered<\/dt><dd>2/);
  expect(text).toMatch(/<dt>Lost<\/dt><dd>1/);
  expect(text).toMatch(/<dt>On the way, or not confirmed<\/dt><dd>3/);
  expect(text).toMatch(/<dt>Other reasons<\/dt><dd>1/);
});

it('shows what automations did on a page of its own', async () => {
  const { status, text } = await scene.people.viewer.get(`${scene.base}/reports/automations`);

  expect(status).toBe(200);
  expect(text).toMatch(/<dt>Conversations handled<\/dt><dd>0/);
  expect(text).toContain('aria-label="Automatic messages on each day"');
  expect(text).toContain('aria-current="page">Automations</a>');
});

it('is there in Portuguese, and for each period', async () => {
  for (const period of ['today', '7d', '30d', '90d', 'nonsense']) {
    const { status, text } = await scene.people.agent.get(
      `${scene.base}/reports?period=${period}`,
      {
        'accept-language': 'pt-BR',
      },
    );
    expect([period, status]).toEqual([period, 200]);
    expect(text).toContain('Tentativas de envio');
  }
});

it('reports on own dates, which both reports keep and the form begins with', async () => {
  const { viewer } = scene.people;
  const dates = `period=custom&from=2026-01-05&to=2026-01-07`;

  for (const path of ['reports', 'reports/automations']) {
    const { status, text } = await viewer.get(`${scene.base}/${path}?${dates}`);
    expect([path, status]).toEqual([path, 200]);
    expect(text).toContain('Jan 5, 2026 to Jan 7, 2026');
    expect(text).toMatch(/name="from" type="date" value="2026-01-05"/);
    expect(text).toContain(`/reports/automations?${dates.replaceAll('&', '&amp;')}"`);
    expect(text).toContain('<details class="disclosure" open>');
    const week = await viewer.get(`${scene.base}/${path}?${dates}`.replace('custom', '7d'));
    expect([week.status, week.text.includes('Jan 5, 2026')]).toEqual([200, false]);
  }
  const { text } = await viewer.get(`${scene.base}/reports?period=today`);
  expect(text).toMatch(/<details class="disclosure">.*name="from" type="date" value="20\d\d-/s);
});

it.each([
  ['from=&to=2026-01-07', 'from', 'Preencha este campo.'],
  ['from=2026-01-09&to=2026-01-07', 'to', 'O último dia vem antes do primeiro.'],
  ['from=2199-01-01&to=2199-01-07', 'to', 'O último dia ainda não chegou.'],
  ['from=2024-01-01&to=2026-01-07', 'from', 'São mais de 366 dias.'],
  ['from=ontem&to=2026-01-07', 'from', 'A forma deste valor não está certa.'],
])(
  'says at its field what is wrong with the dates %s, and shows no other days',
  async (...told) => {
    const [dates, place, sentence] = told;
    const { status, text } = await scene.people.viewer.get(
      `${scene.base}/reports?period=custom&${dates}`,
      { 'accept-language': 'pt-BR' },
    );

    expect(status).toBe(200);
    expect(text).toContain(`id="f-${place}-error">${sentence}</p>`);
    expect(text).not.toContain('Tentativas de envio');
  },
);
