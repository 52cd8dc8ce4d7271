import { expect, it } from '@jest/globals';
import { importContacts } from '../../src/contacts/imports/rows.ts';
import { transact } from '../../src/db/transact.ts';
import { lockAssignments } from '../../src/members/assigning.ts';
import { aRunScene, openRunStage } from '../automations/running/support/scene.ts';
import { untilWaiting } from '../support/database.ts';
import { aMember } from '../support/members.ts';
import { opened } from '../support/opened.ts';

const stage = opened(openRunStage);

it('an import takes in whom a run tags at that moment, which makes a reminder for them', async () => {
  const phone = '+5511955550001';
  const scene = await aRunScene(stage, { contact: { phone } });
  const { ctx } = scene;
  const { teamIds } = await aMember(ctx, { teams: ['Loja'] });
  await scene.rows('update teams set auto_assign = true');
  const run = await scene.start([
    { id: 'tag', type: 'add_tag', tag: 'Lead', next: 'give' },
    { id: 'give', type: 'assign', team_id: teamIds[0], member_id: null, next: 'remind' },
    {
      id: 'remind',
      type: 'create_reminder',
      title: 'Ligar',
      text: 'Oi',
      after: 'P1D',
      next: 'end',
    },
  ]);
  const fresh = () => ({ ...ctx, em: ctx.em.fork() });

  // The run has the contact, the import the workspace, and each of them waits for the other's.
  const { advanced, imported } = await transact(fresh(), async (tx) => {
    await lockAssignments(tx);
    const advanced = scene.advance(run);
    await untilWaiting(stage.database.app);
    const imported = importContacts(fresh(), [{ phone, name: 'Ana' }]);
    await untilWaiting(stage.database.app, 2);
    return { advanced, imported };
  });
  await advanced;

  expect((await imported).map(({ outcome }) => outcome)).toEqual(['updated']);
  expect(await scene.rows('select title from reminders')).toEqual([{ title: 'Ligar' }]);
});
