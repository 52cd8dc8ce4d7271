import { expect, it } from '@jest/globals';
import { noteActivity } from '../../src/conversations/activities.ts';
import { transact } from '../../src/db/transact.ts';
import { updateTeam } from '../../src/members/teams.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation } from '../support/factories/conversations.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aMember } from '../support/members.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import { aConsoleScene } from './support/scene.ts';

const scene = opened(() => aConsoleScene());

it('the first page names nobody as waiting while their conversation is snoozed', async () => {
  const { ctx, people } = scene;
  const { teamIds } = await aMember(ctx, { teams: ['Plantão'] });
  const [teamId = ''] = teamIds;
  await updateTeam(ctx, teamId, { returnAfterMinutes: 10 });
  const { id: numberId } = await aNumber(ctx);
  const { id: contactId } = await aContact(ctx, { name: 'Rita Lima' });
  const id = await aConversation(ctx, { numberId, contactId });
  await rowsOf(
    ctx,
    "update conversations set assigned_team_id = $2, waiting_since = now() - interval '1 hour' where id = $1",
    [id, teamId],
  );
  await transact(ctx, (tx) =>
    noteActivity(tx, id, 'unanswered', { team_id: teamId, member_id: null }),
  );
  const namedWhileSnoozed = async (until: string): Promise<boolean> => {
    await rowsOf(ctx, `update conversations set snoozed_until = now() ${until} where id = $1`, [
      id,
    ]);
    return (await people.owner.get(scene.base)).text.includes('>Rita Lima</a>');
  };

  expect(await namedWhileSnoozed("+ interval '1 hour'")).toBe(false);
  expect(await namedWhileSnoozed("- interval '1 minute'")).toBe(true);
});
