import { expect, it } from '@jest/globals';
import { newId } from '../../src/ids.ts';
import { addTeam } from '../../src/members/teams.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import { aConsoleScene } from './support/scene.ts';

const scene = opened(() => aConsoleScene());

it('somebody is invited into their teams, and sees no more than they are to from the first moment', async () => {
  const { ctx, people } = scene;
  const path = `${scene.base}/members`;
  const { id } = await addTeam(ctx, 'Loja');
  const email = 'carla@example.com';
  const sent = { name: 'Carla', email, role: 'agent', visibility: 'teams' };

  const refused = await people.admin.send(path, 'invite', { ...sent, team_ids: [newId('team')] });
  const invited = await people.admin.send(path, 'invite', { ...sent, team_ids: [id] });

  expect([refused.status, invited.status]).toEqual([422, 303]);
  expect(refused.text).toMatch(/value="teams" checked/);
  expect(refused.text).toContain('id="f-team-ids-error"');
  const made = await rowsOf(
    ctx,
    'select m.visibility, t.team_id from members m join team_members t on t.member_id = m.id where m.email = $1',
    [email],
  );
  expect(made).toEqual([{ visibility: 'teams', team_id: id }]);
});

it.each([
  ['en', 'sees only what is theirs.', 'Add a team'],
  ['pt-BR', 'vê só o que é dele.', 'Adicionar equipe'],
])(
  'the invitation says in %s what a team is for, and where the first one is made',
  async (...said) => {
    const [language, why, add] = said;
    const { admin } = scene.people;
    const read = async () =>
      (await admin.get(`${scene.base}/members`, { 'accept-language': language })).text;
    const teams = await rowsOf(scene.ctx, 'delete from teams returning id');

    const text = await read();
    await addTeam(scene.ctx, 'Loja');

    const link = `<a href="${scene.base}/teams">${add}</a></p>`;
    expect(teams.length).toBeGreaterThan(0);
    expect(text).toContain(`${why} `);
    expect(text).toContain(link);
    expect(await read()).toContain(`${why}</p>`);
  },
);
