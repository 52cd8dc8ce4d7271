import { beforeEach, describe, expect, it } from '@jest/globals';
import { transferConversation } from '../../../src/conversations/assignment/transferring.ts';
import { transact } from '../../../src/db/transact.ts';
import { HOUR_MS } from '../../../src/durations.ts';
import { addTeam } from '../../../src/members/teams.ts';
import { untilWaiting } from '../../support/database.ts';
import { aContact } from '../../support/factories/contacts.ts';
import { aConversation } from '../../support/factories/conversations.ts';
import { aNumber } from '../../support/factories/numbers.ts';
import { aMember } from '../../support/members.ts';
import { opened } from '../../support/opened.ts';
import { aRunScene, later, openRunStage, play, type RunScene } from './support/scene.ts';

const stage = opened(openRunStage);
let scene: RunScene;
let team_id: string;
beforeEach(async () => {
  scene = await aRunScene(stage);
  ({ id: team_id } = await addTeam(scene.ctx, 'Vendas'));
});

const NOWHERE = { conversationId: null };

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

  it('talks in the one that was spoken in last, though another was begun later', async () => {
    const newer = { contactId: scene.contactId, numberId: (await aNumber(scene.ctx)).id };
    await aConversation(scene.ctx, newer);
    later(scene, HOUR_MS);
    await scene.hears('Oi');

    const run = await play(scene, [{ id: 's', type: 'send_message', text: 'Oi!', next: 'end' }], {
      conversationId: null,
    });

    expect(run.conversationId).toBe(scene.conversationId);
  });

  it('is handed over where a person answers, though it has created a reminder first', async () => {
    const { runId } = await play(
      scene,
      [
        { id: 'w', type: 'wait', duration: 'PT2H', next: 'r' },
        { id: 'r', type: 'create_reminder', title: 't', text: 't', after: 'P1D', next: 's' },
        { id: 's', type: 'send_message', text: 'Oi!', next: 'end' },
      ],
      { conversationId: null },
    );
    await scene.rows("update conversations set handled_by = 'member'");
    later(scene, 2 * HOUR_MS);

    await scene.advance(runId);

    expect(await scene.rows('select number_id from reminders')).toEqual([
      { number_id: scene.numberId },
    ]);
    expect(await scene.run(runId)).toMatchObject({ status: 'handed_over' });
    expect(await scene.said()).toEqual([]);
  });

  it.each([
    ['handover', { assigned_member_id: null, handled_by: 'member', status: 'open' }],
    ['assign', { assigned_member_id: null, handled_by: 'member', status: 'open' }],
    ['close_conversation', { handled_by: 'none', status: 'closed' }],
  ])(
    'leaves to whoever answers there by then what %s would take, unless its entry says otherwise',
    async (type, taken) => {
      // Nor while her number is down for a moment: only `handover` looks for another one then.
      if (type !== 'handover') await scene.rows("update numbers set status = 'disconnected'");
      const ana = await aMember(scene.ctx, { teams: ['Loja'] });
      const where = type === 'close_conversation' ? {} : { team_id };
      const onward = type === 'handover' ? {} : { next: 'end' };
      const steps = [
        { id: 'w', type: 'wait', duration: 'PT2H', next: 's' },
        { id: 's', type, ...where, ...onward },
      ];
      const wishes = { entry: { skip_if_handled_by_member: false } };
      const quiet = await scene.publish(steps);
      const bold = await scene.publish(steps, [], wishes);
      const left = await scene.begin(quiet, NOWHERE);
      const right = await scene.begin(bold, NOWHERE);
      for (const runId of [left, right]) await scene.advance(runId);
      const hers = { assigned_member_id: ana.id, handled_by: 'member', status: 'open' };
      const placed = (): Promise<unknown[]> =>
        scene.rows('select assigned_member_id, handled_by, status from conversations');
      await scene.rows(
        "update conversations set assigned_member_id = $1, handled_by = 'member'",
        ana.id,
      );
      later(scene, 2 * HOUR_MS);

      await scene.advance(left);
      expect(await scene.run(left)).toMatchObject({ status: 'handed_over', code: null });
      expect(await placed()).toEqual([hers]);

      await scene.advance(right);
      expect(await placed()).toMatchObject([taken]);
    },
  );

  it.each(['assign', 'close_conversation', 'handover'])(
    '%s waits for a member who is taking the conversation over at that moment',
    async (type) => {
      const ana = await aMember(scene.ctx, { teams: ['Loja'] });
      const where = type === 'close_conversation' ? {} : { team_id };
      const onward = type === 'handover' ? {} : { next: 'end' };
      const automationId = await scene.publish([{ id: 's', type, ...where, ...onward }]);
      const runId = await scene.begin(automationId, NOWHERE);
      let advancing: Promise<unknown> = Promise.resolve();

      await transact(scene.ctx, async (tx) => {
        const [to = ''] = ana.teamIds;
        const whom = { team_id: to, member_id: ana.id };
        await transferConversation(tx, scene.conversationId, whom);
        advancing = scene.advance(runId);
        await untilWaiting(stage.database.system);
      });
      await advancing;

      expect(await scene.run(runId)).toMatchObject({ status: 'handed_over' });
      expect(
        await scene.rows('select assigned_member_id, handled_by, status from conversations'),
      ).toEqual([{ assigned_member_id: ana.id, handled_by: 'member', status: 'open' }]);
    },
  );

  describe('that gives one to a member', () => {
    let ana: Awaited<ReturnType<typeof aMember>>;
    beforeEach(async () => {
      ana = await aMember(scene.ctx, { teams: ['Loja'] });
    });
    const give = () =>
      play(
        scene,
        [
          { id: 'a', type: 'assign', team_id: ana.teamIds[0], member_id: ana.id, next: 's' },
          { id: 's', type: 'send_message', text: 'Ana cuida de você.', next: 'w' },
          { id: 'w', type: 'wait', duration: 'PT2H', next: 'end' },
        ],
        { conversationId: null },
      );

    it('goes on speaking there, until a person takes it over', async () => {
      const { runId, ...run } = await give();
      expect(await scene.said()).toEqual(['Ana cuida de você.']);
      expect(run).toMatchObject({ status: 'waiting', conversationId: scene.conversationId });

      const [to = ''] = ana.teamIds;
      await transferConversation(scene.ctx, scene.conversationId, { team_id: to });
      expect(await scene.run(runId)).toMatchObject({ status: 'waiting' });
      await transferConversation(scene.ctx, scene.conversationId, {
        team_id: to,
        member_id: ana.id,
      });

      expect(await scene.run(runId)).toMatchObject({ status: 'handed_over' });
    });

    it('goes on, and closes it, where its number cannot send', async () => {
      await scene.rows("update numbers set status = 'disconnected'");

      const run = await play(
        scene,
        [
          { id: 'a', type: 'assign', team_id: ana.teamIds[0], member_id: ana.id, next: 'c' },
          { id: 'c', type: 'close_conversation', next: 'end' },
        ],
        { conversationId: null },
      );

      expect(run).toMatchObject({ status: 'succeeded' });
      expect(await scene.rows('select status from conversations')).toEqual([{ status: 'closed' }]);
    });

    it('speaks on a number that can send where that of the conversation cannot', async () => {
      await scene.rows("update numbers set status = 'disconnected'");
      const { id: other } = await aNumber(scene.ctx);

      expect(await give()).toMatchObject({ status: 'waiting', step: 'w' });

      expect(await scene.rows('select text, number_id from messages')).toEqual([
        { text: 'Ana cuida de você.', number_id: other },
      ]);
    });
  });
});
