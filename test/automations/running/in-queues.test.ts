import { expect, it } from '@jest/globals';
import { createContext } from '../../../src/db/contexts.ts';
import { setPresence } from '../../../src/members/presence.ts';
import { aMember } from '../../support/members.ts';
import { opened } from '../../support/opened.ts';
import { aRunScene, openRunStage, play } from './support/scene.ts';

const stage = opened(openRunStage);

const DIALOGUE = [
  { id: 'q', type: 'ask', text: 'Seu nome?', timeout: 'P1D', next: 'b', on_timeout: 'end' },
  { id: 'b', type: 'send_message', text: 'Já te respondemos, {{step.q.answer}}.', next: 'w' },
  { id: 'w', type: 'wait', duration: 'P1D', next: 'end' },
];

/** Somebody waits in the queue of a team, of which one member is online or nobody. */
async function aQueue(isOnline: boolean) {
  const scene = await aRunScene(stage);
  const { id: member, teamIds } = await aMember(scene.ctx, { teams: ['Loja'] });
  await scene.rows('update teams set auto_assign = true');
  await scene.rows(
    'update conversations set assigned_team_id = $1, waiting_since = $2',
    ...[teamIds[0], scene.now],
  );
  const { organizationId, actor } = scene.ctx;
  const ctx = createContext(
    { ...stage, wake: () => {} },
    { organizationId, actor, now: scene.now },
  );
  const comes = () => setPresence(ctx, member, { online: true });
  if (isOnline) await comes();
  return { scene, member, comes };
}

it.each([true, false])(
  'a run goes on with whoever the queue gives to a member, who is there from the beginning: %s',
  async (isOnline) => {
    const { scene, member, comes } = await aQueue(isOnline);
    const state = async () => {
      const [row] = await scene.rows(
        'select assigned_member_id as member, handled_by as by from conversations',
      );
      return row;
    };

    const { runId } = await play(scene, DIALOGUE);
    if (!isOnline) await comes();
    expect(await state()).toEqual({ member, by: 'automation' });
    await scene.hears('Zoe');
    await scene.advance(runId);

    expect(await scene.said()).toEqual(['Seu nome?', 'Já te respondemos, Zoe.']);
    expect(await scene.run(runId)).toMatchObject({ status: 'waiting', step: 'w' });
    expect(await state()).toEqual({ member, by: 'automation' });
  },
);
