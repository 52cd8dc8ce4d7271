import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '../../src/ids.ts';
import { aPipeline } from '../support/factories/pipelines.ts';
import type { Reply } from '../support/http.ts';
import { aMember, type TestMember } from '../support/members.ts';
import { rowsOf } from '../support/rows-of.ts';
import { pastOf } from './support/days.ts';
import { openReportScene, type ReportScene } from './support/scene.ts';

let scene: ReportScene;
let seller: TestMember;
let pipelineId: string;

beforeAll(async () => {
  scene = await openReportScene();
  const { ctx, door } = scene;
  seller = await aMember(ctx, { teams: ['Vendas'] });
  const pipeline = await aPipeline(ctx);
  pipelineId = pipeline.id;
  const past = pastOf(door.database, ctx);
  const at = '2026-11-20T17:00:00Z';
  const gil = await past.contact(at, 'team');
  const conversationId = await past.conversation(at, scene.numberId, gil, {
    teamId: seller.teamIds[0] ?? '',
    memberId: seller.id,
  });
  await past.say({
    conversationId,
    at,
    source: 'automation',
    automationId: scene.automationId,
  });
  await rowsOf(
    ctx,
    `insert into deals (organization_id, id, pipeline_id, stage_id, contact_id, title, currency, status, stage_entered_at, created_at, updated_at)
       values ($1, $2, $3, $4, $5, 'Bolo', 'BRL', 'open', now(), now(), now())`,
    [ctx.organizationId, newId('dea'), pipelineId, pipeline.stages['Novo'], gil],
  );
});
afterAll(() => scene.door.close());

const ask = (report: string, query: string): Promise<Reply> =>
  scene.door.api.call('GET', `/api/v1/reports/${report}?${query}`, { key: scene.key });

const REPORTS = ['automation', 'numbers'];

describe.each(REPORTS)('the %s report', (report) => {
  it.each([
    ['', '2026-10-23', '2026-11-21', 30],
    ['period=today', '2026-11-21', '2026-11-21', 1],
    ['period=7d', '2026-11-15', '2026-11-21', 7],
    ['period=30d', '2026-10-23', '2026-11-21', 30],
    ['period=90d', '2026-08-24', '2026-11-21', 90],
    ['period=custom&from=2024-02-28&to=2024-03-01', '2024-02-28', '2024-03-01', 3],
  ])('of "%s" is from %s to %s, %i days', async (query, from, to, days) => {
    const { status, body } = await ask(report, query);

    expect(status).toBe(200);
    expect(body.range).toMatchObject({ from, to, days });
  });

  it.each([
    ['period=1y', 'period', 'enum'],
    ['period=custom&from=2026-02-29&to=2026-03-01', 'from', 'format'],
    ['period=custom&from=2026-02-01&to=2026-02-30', 'to', 'format'],
    ['period=custom&from=01/02/2026&to=2026-02-02', 'from', 'format'],
    ['period=custom&to=2026-02-02', 'from', 'required'],
    ['from=2026-02-01', 'from', 'not_applicable'],
    ['period=7d&to=2026-02-02', 'to', 'not_applicable'],
    ['period=custom&from=2026-02-03&to=2026-02-02', 'to', 'range'],
    ['period=custom&from=2026-11-21&to=2026-11-22', 'to', 'range'],
    ['origin=elsewhere', 'origin', 'enum'],
    ['numbers=num_1', 'numbers', 'unknown_parameter'],
  ])('refuses %s and names %s by the rule %s', async (query, path, rule) => {
    const { status, body } = await ask(report, query);

    expect([status, body.error.code]).toEqual([422, 'validation']);
    expect(body.error.details[0]).toMatchObject({ path, rule });
  });

  it('keeps to one team, one agent, one pipeline, one origin, and to all of them together', async () => {
    const figure = report === 'numbers' ? 'attempted' : 'count';
    const filters = [
      `team=${seller.teamIds[0]}`,
      `agent=${seller.id}`,
      `pipeline=${pipelineId}`,
      'origin=team',
      `number=${scene.numberId}&origin=team`,
      `automation=${scene.automationId}&pipeline=${pipelineId}`,
    ];

    for (const query of [...filters, filters.slice(0, 4).join('&')]) {
      const { body } = await ask(report, `period=7d&${query}`);
      expect([query, body[figure]]).toEqual([query, 1]);
    }
    const none = await ask(report, `period=7d&${filters[0]}&origin=form`);
    expect(none.body[figure]).toBe(0);
  });

  it.each(['direct', 'form', 'import', 'campaign', 'team'])(
    'takes the origin %s',
    async (origin) => {
      expect((await ask(report, `origin=${origin}`)).status).toBe(200);
    },
  );
});
