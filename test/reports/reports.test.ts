import { beforeAll, describe, expect, it } from '@jest/globals';
import { rollUpWorkspace } from '../../src/reports/rollup.ts';
import { opened } from '../support/opened.ts';
import { NOW, openReportScene } from './support/scene.ts';

const scene = opened(openReportScene);

const ask = async (report: string, query = ''): Promise<Record<string, unknown>> => {
  const answer = await scene.door.api.call('GET', `/api/v1/reports/${report}${query}`, {
    key: scene.key,
  });
  expect([report, query, answer.status, answer.body?.error]).toEqual([
    report,
    query,
    200,
    undefined,
  ]);
  return answer.body;
};

function eachFigure(): void {
  it('the automation report counts conversations, answers, handovers and what the team was spared', async () => {
    const report = await ask('automation', '?period=7d');

    expect(report).toMatchObject({
      workspace: scene.ctx.organizationId,
      range: {
        from: '2026-11-15',
        to: '2026-11-21',
        days: 7,
        previous: { from: '2026-11-08', to: '2026-11-14' },
      },
      now: NOW.toISOString(),
      time_zone: 'America/Sao_Paulo',
      count: 2,
      without_agent: 1,
      ai_replies: 2,
      handed_over: 1,
      ai_seconds: 3,
      saved: { minutes: 4.5, per_message: 1.5, measured: false },
      questions: [{ text: 'qual o horario', count: 2 }],
      automations: [
        { id: scene.automationId, name: 'Boas-vindas', runs: 4, succeeded: 1, failed: 1, done: 3 },
      ],
      previous: {
        count: 0,
        without_agent: 0,
        ai_replies: 0,
        handed_over: 0,
        ai_seconds: null,
        saved_minutes: 0,
      },
    });
    expect((report['days'] as { day: string }[]).slice(-3)).toEqual([
      { day: '2026-11-19', automated: 1, team: 0 },
      { day: '2026-11-20', automated: 2, team: 2 },
      { day: '2026-11-21', automated: 0, team: 0 },
    ]);
  });

  it('the numbers report counts what reached the point of sending, what arrived and what was lost', async () => {
    const report = await ask('numbers', '?period=custom&from=2026-11-20&to=2026-11-21');

    expect(report).toMatchObject({
      days: ['2026-11-20', '2026-11-21'],
      attempted: 8,
      delivered: 4,
      lost: 2,
      reasons: { no_whatsapp: 1, no_recipient: 0, throttled: 0, out_of_window: 0 },
      previous: { attempted: 1, delivered: 1, lost: 0 },
    });
    expect(report['numbers']).toEqual([
      expect.objectContaining({ id: scene.silentId, attempted: 0, delivered: 0, days: [0, 0] }),
      {
        id: scene.numberId,
        name: 'Vendas',
        status: 'connected',
        disconnected_at: null,
        attempted: 8,
        delivered: 4,
        days: [3, 1],
      },
    ]);
  });

  it.each([
    ['', 8],
    ['&origin=campaign', 1],
    ['&origin=import', 4],
    ['&origin=form', 0],
    ['&automation=AUTOMATION', 2],
    ['&campaign=CAMPAIGN', 4],
    ['&campaign=CAMPAIGN&origin=direct', 0],
    ['&number=NUMBER', 8],
    ['&number=num_unknown', 0],
    ['&team=team_unknown', 0],
    ['&agent=mem_unknown', 0],
    ['&pipeline=pip_unknown', 0],
  ])('the filters %s leave %i attempts', async (filters, attempted) => {
    const query = filters
      .replace('AUTOMATION', scene.automationId)
      .replace('CAMPAIGN', scene.campaignId)
      .replace('NUMBER', scene.numberId);

    const report = await ask('numbers', `?period=custom&from=2026-11-20&to=2026-11-21${query}`);

    expect(report['attempted']).toBe(attempted);
  });

  it('the filters leave conversations of the automation report too', async () => {
    const counts = async (query: string) =>
      (await ask('automation', `?period=7d${query}`))['count'];

    expect([
      await counts(`&automation=${scene.automationId}`),
      await counts('&automation=atm_unknown'),
      await counts('&origin=direct'),
      await counts(`&number=${scene.silentId}`),
    ]).toEqual([2, 0, 1, 0]);
  });
}

describe('reports counted from the messages', () => {
  eachFigure();

  it('compare today with yesterday up to the same time', async () => {
    const report = await ask('numbers', '?period=today');

    expect(report).toMatchObject({
      attempted: 4,
      delivered: 1,
      previous: { attempted: 4, delivered: 3 },
    });
  });
});

const rollUp = (now: Date, mayGoOn = () => true): Promise<number> =>
  rollUpWorkspace(scene.door.database, scene.ctx.organizationId, { now, mayGoOn });

describe('reports of days that were written down', () => {
  beforeAll(async () => {
    expect(await rollUp(NOW)).toBe(2);
    expect(await rollUp(NOW)).toBe(0);
  });
  eachFigure();

  it('take in what WhatsApp says later, when the day is written down again', async () => {
    const inDays = (days: number) => new Date(NOW.getTime() + days * 24 * 3_600_000);

    expect(await rollUp(inDays(1))).toBe(3);
    expect(await rollUp(inDays(30), () => false)).toBe(1);
  });
});
