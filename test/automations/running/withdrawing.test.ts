import { describe, expect, it } from '@jest/globals';
import type { MemberActor } from '../../../src/access/actor.ts';
import { PERMISSIONS } from '../../../src/access/permissions.ts';
import { cancelRun } from '../../../src/automations/runs.ts';
import { mergeContacts } from '../../../src/contacts/merging/merging.ts';
import { transferConversation } from '../../../src/conversations/assignment/transferring.ts';
import { sendToConversation } from '../../../src/conversations/sending/sending.ts';
import { createContext } from '../../../src/db/contexts.ts';
import { aContact } from '../../support/factories/contacts.ts';
import { aConversation } from '../../support/factories/conversations.ts';
import { aMember } from '../../support/members.ts';
import { opened } from '../../support/opened.ts';
import { aRunScene, openRunStage, type RunScene } from './support/scene.ts';

const stage = opened(openRunStage);

const say = (text: string, next = 'end') => ({ id: 'say', type: 'send_message', text, next });
const wait = { id: 'wait', type: 'wait', duration: 'PT1H', next: 'end' };

/** A run that has said something and waits, and one that has said its last word; nothing has left yet. */
async function twoThatSpoke(scene: RunScene): Promise<string> {
  const waiting = await scene.start([say('Um momento', 'wait'), wait]);
  await scene.advance(waiting);
  await scene.advance(await scene.start([say('Oi!')]));
  return waiting;
}

const messages = async (scene: RunScene) =>
  Object.fromEntries(
    (
      await scene.rows<{ text: string; status: string }>(
        "select text, status from messages where direction = 'outbound'",
      )
    ).map(({ text, status }) => [text, status]),
  );

/** A person of the shop's team, and what that person does. */
async function aColleague({ ctx }: RunScene) {
  const { id, teamIds, credentialId } = await aMember(ctx, { role: 'admin', teams: ['Loja'] });
  const { organizationId, now } = ctx;
  const actor: MemberActor = {
    type: 'member',
    id,
    name: 'Bia',
    role: 'admin',
    visibility: 'workspace',
    teamIds,
    numberIds: [],
    permissions: new Set(PERMISSIONS),
    credentialId,
    app: null,
  };
  const parts = { database: stage.database, wake: () => {} };
  return {
    id,
    teamId: teamIds[0] ?? '',
    ctx: createContext(parts, { organizationId, actor, now }),
  };
}

const answer = async (scene: RunScene) =>
  sendToConversation((await aColleague(scene)).ctx, scene.conversationId, {
    text: 'Aqui é a Bia.',
  });

describe('what an automation has yet to send', () => {
  it('is not sent once a person answers', async () => {
    const scene = await aRunScene(stage);
    await twoThatSpoke(scene);

    await answer(scene);

    expect(await messages(scene)).toEqual({
      'Um momento': 'cancelled',
      'Oi!': 'cancelled',
      'Aqui é a Bia.': 'queued',
    });
  });

  it('is not sent once a person is given the conversation, and stays with a team', async () => {
    const scene = await aRunScene(stage);
    await twoThatSpoke(scene);
    const colleague = await aColleague(scene);
    const give = (to: { member_id?: string }) =>
      transferConversation(colleague.ctx, scene.conversationId, {
        team_id: colleague.teamId,
        ...to,
      });

    await give({});
    expect(await messages(scene)).toEqual({ 'Um momento': 'queued', 'Oi!': 'queued' });
    await give({ member_id: colleague.id });

    expect(await messages(scene)).toEqual({ 'Um momento': 'cancelled', 'Oi!': 'cancelled' });
  });

  it('is not sent when its run is cancelled; others speak on', async () => {
    const scene = await aRunScene(stage);
    const waiting = await twoThatSpoke(scene);

    await cancelRun(scene.ctx, waiting);

    expect(await messages(scene)).toEqual({ 'Um momento': 'cancelled', 'Oi!': 'queued' });
  });

  it('is not sent when its run finds out at its next step that its automation was stopped', async () => {
    const scene = await aRunScene(stage);
    const waiting = await twoThatSpoke(scene);
    await scene.rows('update automations set stopped_version = version');
    scene.now = new Date(scene.now.getTime() + 3_600_000);

    await scene.advance(waiting);

    expect(await scene.run(waiting)).toMatchObject({ status: 'cancelled' });
    expect(await messages(scene)).toEqual({ 'Um momento': 'cancelled', 'Oi!': 'queued' });
  });

  it.each(['stays', 'goes'])(
    'is not sent when two people become one and a person answers whoever %s',
    async (answered) => {
      const scene = await aRunScene(stage);
      await twoThatSpoke(scene);
      const { id } = await aContact(scene.ctx);
      const conversationId = await aConversation(scene.ctx, { ...scene, contactId: id });
      await scene.rows(
        "update conversations set handled_by = 'member' where id = $1",
        conversationId,
      );
      const [stays, goes] = answered === 'stays' ? [id, scene.contactId] : [scene.contactId, id];

      await mergeContacts(scene.ctx, stays, goes);

      expect(await messages(scene)).toEqual({ 'Um momento': 'cancelled', 'Oi!': 'cancelled' });
    },
  );

  it('is sent when it is on its way', async () => {
    const scene = await aRunScene(stage);
    await twoThatSpoke(scene);
    await scene.rows("update messages set status = 'sending' where text = 'Oi!'");

    await answer(scene);

    expect(await messages(scene)).toMatchObject({ 'Um momento': 'cancelled', 'Oi!': 'sending' });
  });

  it('is sent when an automation itself hands the conversation over', async () => {
    const scene = await aRunScene(stage);
    await twoThatSpoke(scene);

    await scene.advance(await scene.start([{ id: 'h', type: 'handover' }]));

    expect(await messages(scene)).toEqual({ 'Um momento': 'queued', 'Oi!': 'queued' });
  });
});
