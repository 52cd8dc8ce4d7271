import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { addTeam } from '../../../src/members/teams.ts';
import { aContact } from '../../support/factories/contacts.ts';
import { aScene, openStage, play, type Scene, type Stage } from './support/scene.ts';

let stage: Stage;
let scene: Scene;
let team_id: string;
beforeAll(async () => {
  stage = await openStage();
});
beforeEach(async () => {
  scene = await aScene(stage);
  ({ id: team_id } = await addTeam(scene.ctx, 'Vendas'));
});
afterAll(() => stage.close());

describe('a run that began without a conversation', () => {
  it.each([
    ['assigns', 'assigned', { assigned_team_id: expect.any(String), status: 'open' }],
    ['closes', 'closed', { assigned_team_id: null, status: 'closed' }],
  ])('%s the latest one of its contact, or simply goes on', async (does, done, expected) => {
    const work = does === 'assigns' ? { type: 'assign', team_id } : { type: 'close_conversation' };
    const steps = [
      { id: 's', ...work, next: 'tag' },
      { id: 'tag', type: 'add_tag', tag: 'Novo', next: 'end' },
    ];
    const of = async (contactId: string): Promise<unknown> => {
      const { runId, ...run } = await play(scene, steps, { conversationId: null, contactId });
      expect(run).toMatchObject({ status: 'succeeded', conversationId: null });
      return scene.outputs(runId, 's');
    };
    const { id: stranger } = await aContact(scene.ctx, { name: 'Bia' });
    await scene.rows("update numbers set status = 'disconnected'");

    expect(await of(stranger)).toEqual([{ [done]: false }]);
    expect(await of(scene.contactId)).toEqual([{ [done]: true }]);

    const conversations = await scene.rows('select assigned_team_id, status from conversations');
    expect(conversations).toEqual([expected]);
  });
});
