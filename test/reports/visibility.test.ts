import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { rollUpWorkspace } from '../../src/reports/rollup.ts';
import { aMember, type TestMember } from '../support/members.ts';
import { rowsOf } from '../support/rows-of.ts';
import { pastOf } from './support/days.ts';
import { NOW, openReportScene, type ReportScene } from './support/scene.ts';

let scene: ReportScene;
let ofTheTeam: TestMember;
let ofNothing: TestMember;

beforeAll(async () => {
  scene = await openReportScene();
  const { ctx, door } = scene;
  ofTheTeam = await aMember(ctx, { visibility: 'teams', teams: ['Vendas'] });
  ofNothing = await aMember(ctx, { visibility: 'assigned' });
  await rowsOf(ctx, 'insert into number_teams values ($1, $2, $3)', [
    ctx.organizationId,
    scene.silentId,
    ofTheTeam.teamIds[0],
  ]);
  const past = pastOf(door.database, ctx);
  const eva = await past.contact('2026-11-20T16:00:00Z');
  const seen = await past.conversation('2026-11-20T16:00:00Z', scene.silentId, eva);
  await past.say({ conversationId: seen, at: '2026-11-20T16:00:00Z', source: 'automation' });
  const fabio = await past.contact('2026-11-20T17:00:00Z');
  const given = await past.conversation('2026-11-20T17:00:00Z', scene.numberId, fabio, {
    teamId: ofTheTeam.teamIds[0] ?? '',
  });
  await past.say({ conversationId: given, at: '2026-11-20T17:00:00Z', source: 'automation' });
});
afterAll(() => scene.door.close());

async function figures({ token }: TestMember) {
  const query = '?period=7d';
  const automation = await scene.door.api.call('GET', `/api/v1/reports/automation${query}`, {
    key: token,
  });
  const numbers = await scene.door.api.call('GET', `/api/v1/reports/numbers${query}`, {
    key: token,
  });
  expect([automation.status, numbers.status]).toEqual([200, 200]);
  return {
    conversations: automation.body.count,
    attempted: numbers.body.attempted,
    numbers: numbers.body.numbers.map(({ id }: { id: string }) => id),
  };
}

/** One that their team was given, on a number of other teams, is a conversation to them and no number. */
function eachMember(): void {
  it('show a member of a team what the team sees, and one with nothing assigned nothing', async () => {
    expect(await figures(ofTheTeam)).toEqual({
      conversations: 2,
      attempted: 1,
      numbers: [scene.silentId],
    });
    expect(await figures(ofNothing)).toEqual({ conversations: 0, attempted: 0, numbers: [] });
  });
}

describe('reports counted from the messages', eachMember);

describe('reports of days that were written down', () => {
  beforeAll(() =>
    rollUpWorkspace(scene.door.database, scene.ctx.organizationId, {
      now: NOW,
      mayGoOn: () => true,
    }),
  );
  eachMember();
});
