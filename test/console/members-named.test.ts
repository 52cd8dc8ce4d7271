import { describe, expect, it } from '@jest/globals';
import { addTeam } from '../../src/members/teams.ts';
import { anAutomation } from '../support/factories/automations.ts';
import { aSegment } from '../support/factories/segments.ts';
import { aMember } from '../support/members.ts';
import { opened } from '../support/opened.ts';
import { aConsoleScene } from './support/scene.ts';

const scene = opened(() => aConsoleScene());

const place = (id: string): string => `${scene.base}/members/${id}`;

describe('members in the console', () => {
  it('are removed with a warning before, where segments name them', async () => {
    const { id } = await aMember(scene.ctx, { role: 'agent' });
    const page = async () => (await scene.people.owner.get(place(id))).text;
    expect(await page()).not.toContain('Segments that name');

    await aSegment(scene.ctx, { rules: { not: { field: 'owner_id', op: 'eq', value: id } } });

    expect(await page()).toContain('Segments that name this person: 1.');
  });

  it('are suspended and removed with a warning before, where automations assign to them', async () => {
    const { id: team } = await addTeam(scene.ctx, 'Vendas');
    const { id } = await aMember(scene.ctx, { role: 'agent', teams: ['Vendas'] });
    const page = async () => (await scene.people.owner.get(place(id))).text;
    expect(await page()).not.toContain('Automations that name');

    const assign = { type: 'assign', team_id: team, member_id: id };
    await anAutomation(scene.ctx, {
      name: 'Plantão',
      steps: [
        { id: 'hello', ...assign, next: 'end' },
        { id: 'end', type: 'end' },
      ],
    });

    const said = (await page()).match(/Automations that name this person: Plantão\./g);
    expect(said).toHaveLength(2);
  });
});
