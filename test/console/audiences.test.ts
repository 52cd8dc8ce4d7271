import { describe, expect, it } from '@jest/globals';
import { addTeam } from '../../src/members/teams.ts';
import { aGroupOf } from '../campaigns/support/groups.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aSegment } from '../support/factories/segments.ts';
import { opened } from '../support/opened.ts';
import { aConsoleScene } from './support/scene.ts';

const scene = opened(() => aConsoleScene());

describe('to whom something is sent', () => {
  it('is any segment and any group of the workspace, however many there are', async () => {
    const { id: numberId } = await aNumber(scene.ctx);
    const { id: group } = await aGroupOf(scene.ctx, numberId);
    const segment = await aSegment(scene.ctx, { name: 'O primeiro' });
    for (let i = 0; i < 100; i += 1) {
      await aSegment(scene.ctx, { name: `Segmento ${i}` });
      await aGroupOf(scene.ctx, numberId);
    }
    const { owner } = scene.people;

    const pages = [
      await owner.get(`${scene.base}/campaigns/new`),
      await owner.get(`${scene.base}/reminders/new`),
    ];

    for (const { text } of pages) {
      expect(text).toContain(`<option value="segment:${segment.id}">Segment: O primeiro</option>`);
      expect(text).toContain(`<option value="group:${group}">`);
    }
    expect(pages[1]?.text).toContain(`<option value="birthday:${segment.id}">`);
  });

  it('is a group by its id, as long as nobody has told its name', async () => {
    const { id: numberId } = await aNumber(scene.ctx);
    const { id } = await aGroupOf(scene.ctx, numberId, { name: '' });

    const { text } = await scene.people.owner.get(`${scene.base}/campaigns/new`);

    expect(text).toContain(`<option value="group:${id}">Group: ${id}</option>`);
  });

  it('is told apart by the time, where two segments have one name', async () => {
    for (const name of ['Fiéis', 'fiéis', 'Novos']) await aSegment(scene.ctx, { name });

    const { text } = await scene.people.owner.get(`${scene.base}/campaigns/new`);

    expect(text).toContain('Segment: Novos</option>');
    for (const name of ['Fiéis', 'fiéis'])
      expect(text).toMatch(new RegExp(`Segment: ${name} \\([^<]*\\d:\\d\\d[^<]*\\)</option>`));
  });

  it('is written in rules with the id of any team, however many there are', async () => {
    const team = await addTeam(scene.ctx, 'A primeira');
    for (let i = 0; i < 100; i += 1) await addTeam(scene.ctx, `Equipe ${i}`);

    const { text } = await scene.people.owner.get(`${scene.base}/segments/new`);

    expect(text).toContain(`<code>${team.id}</code>`);
  });
});
