import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { lockPeople } from '../../../src/contacts/person.ts';
import { changeTags } from '../../../src/contacts/service.ts';
import { transferConversation } from '../../../src/conversations/assignment/transferring.ts';
import { transact } from '../../../src/db/transact.ts';
import { openOwnDatabase, statementsWaiting, untilWaiting } from '../../support/database.ts';
import { anActiveAutomation } from '../../support/factories/automations.ts';
import { aContact } from '../../support/factories/contacts.ts';
import { aConversation } from '../../support/factories/conversations.ts';
import { aMember } from '../../support/members.ts';
import { eventually } from '../../support/waiting.ts';
import { openActing } from '../triggers/support/acting.ts';
import { aRunScene, END, type RunScene, type RunStage } from './support/scene.ts';

let stage: RunStage;
let scene: RunScene;
let team_id: string;
beforeAll(async () => {
  // Room for whoever holds a person, the run that waits for them, and somebody who is in nobody's way.
  stage = {
    database: await openOwnDatabase({ poolSize: 12 }),
    close: () => stage.database.close(),
  };
});
beforeEach(async () => {
  scene = await aRunScene(stage);
  [team_id = ''] = (await aMember(scene.ctx, { teams: ['Loja'] })).teamIds;
  await scene.rows('update teams set auto_assign = true');
});
afterAll(() => stage.close());

const fresh = () => ({ ...scene.ctx, em: scene.ctx.em.fork() });

/** Whether the conversation of somebody else can be given out while `work` waits for its person. */
async function givesOutMeanwhile(work: () => Promise<unknown>): Promise<boolean> {
  const { contactId, ctx, numberId } = scene;
  const other = await aConversation(ctx, { numberId, contactId: (await aContact(ctx)).id });
  let given = false;
  const { both, meanwhile } = await transact(fresh(), async (tx) => {
    // As an import or a merge holds them.
    await lockPeople(tx, [contactId], 'no key');
    const worked = work();
    await untilWaiting(stage.database.app);
    const transferred = transferConversation(fresh(), other, { team_id }).then(() => {
      given = true;
    });
    await eventually(async () => given || (await statementsWaiting(stage.database.app)) > 1);
    return { both: Promise.all([worked, transferred]), meanwhile: given };
  });
  await both;
  return meanwhile;
}

const give = { id: 'give', type: 'assign', member_id: null };
const tag = { id: 'tag', type: 'add_tag', tag: 'Lead', next: 'end' };
const tags = async (): Promise<string[]> => {
  const found = await scene.rows<{ tags: string[] }>(
    'select tags from contacts where id = $1',
    scene.contactId,
  );
  return found.flatMap((contact) => contact.tags);
};

describe('a run that gives a conversation to a team’s queue', () => {
  it('keeps no others from being given out while its next step waits for its person', async () => {
    const runId = await scene.start([{ ...give, team_id, next: 'tag' }, tag]);

    expect(await givesOutMeanwhile(() => scene.advance(runId))).toBe(true);

    expect(await scene.run(runId)).toMatchObject({ status: 'succeeded' });
    expect(await tags()).toEqual(['Lead']);
  });

  it('keeps none either while another run that began with it waits for its person', async () => {
    const trigger = { type: 'tag_added', tags: ['Novo'] };
    const entry = { priority: 1 };
    const giving = [{ ...give, team_id, next: 'end' }, END];
    await anActiveAutomation(scene.ctx, { name: 'a', trigger, entry, steps: giving });
    await anActiveAutomation(scene.ctx, { name: 'b', trigger, steps: [tag, END] });
    await changeTags(scene.ctx, scene.contactId, { add: ['Novo'] });
    const acting = openActing(stage.database, scene.ctx.organizationId, () => scene.now);

    expect(await givesOutMeanwhile(acting.act)).toBe(true);

    await acting.close();
    expect(await tags()).toEqual(['Novo', 'Lead']);
  });
});
