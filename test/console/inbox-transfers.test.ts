import { expect, it } from '@jest/globals';
import { transact } from '../../src/db/transact.ts';
import { untilWaiting } from '../support/database.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation } from '../support/factories/conversations.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aMember } from '../support/members.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import { seenIn } from './support/forms.ts';
import { aConsoleScene } from './support/scene.ts';

const scene = opened(() => aConsoleScene());

it('offers a transfer to everybody but who has it already, and of what is closed to nobody', async () => {
  const { id: memberId, teamIds } = await aMember(scene.ctx, { teams: ['Compras'] });
  const [team = ''] = teamIds;
  const { id: numberId } = await aNumber(scene.ctx);
  const { id: contactId } = await aContact(scene.ctx);
  const address = `${scene.base}/inbox/${await aConversation(scene.ctx, { numberId, contactId })}`;
  const { admin } = scene.people;
  const offered = async () => {
    const { text } = await admin.get(address);
    return [team, `${team}/${memberId}`].filter((to) => text.includes(`<option value="${to}"`));
  };
  const first = await offered();

  await admin.send(address, 'transfer', { to: team });
  const ofTeam = await offered();
  await admin.send(address, 'transfer', { to: `${team}/${memberId}` });
  const ofMember = await offered();
  await admin.send(address, 'close');

  expect(first).toHaveLength(2);
  expect(ofTeam).toEqual([`${team}/${memberId}`]);
  expect(ofMember).toEqual([team]);
  expect(await offered()).toEqual([]);
});

it('takes no conversation from whoever came to have it after the page last showed that, and says so', async () => {
  const anna = await aMember(scene.ctx, { teams: ['Vendas'] });
  const [team = ''] = anna.teamIds;
  const bia = await aMember(scene.ctx, { teams: ['Vendas'] });
  const { id: numberId } = await aNumber(scene.ctx);
  const { id: contactId } = await aContact(scene.ctx);
  const id = await aConversation(scene.ctx, { numberId, contactId });
  const address = `${scene.base}/inbox/${id}`;
  const { admin, owner } = scene.people;
  const holder = async () => {
    const [row] = await rowsOf<{ member: string | null }>(
      scene.ctx,
      'select assigned_member_id as member from conversations where id = $1',
      [id],
    );
    return row?.member;
  };
  const seen = seenIn((await owner.get(address)).text);
  await admin.send(address, 'transfer', { to: `${team}/${anna.id}` });

  const refused = await owner.send(address, 'transfer', { to: `${team}/${bia.id}`, seen });

  expect([refused.status, await holder()]).toEqual([409, anna.id]);
  expect(refused.text).toContain('Somebody changed this after you opened the page');
  expect(refused.text).toMatch(/<details[^>]* open><summary>Transfer</);
  expect(refused.text).toContain(`value="${team}/${bia.id}" selected`);
  // As when its reader decides again, and when a page has shown it by itself.
  const shown = seenIn(refused.text);
  const refreshed = await owner.get(`${address}?seen=open`, { 'hx-request': 'true' });
  expect(seenIn(refreshed.text)).toBe(shown);
  const again = await owner.send(address, 'transfer', { to: `${team}/${bia.id}`, seen: shown });
  expect([again.status, await holder()]).toEqual([303, bia.id]);
});

it('takes no conversation from whoever is being given it just then', async () => {
  const anna = await aMember(scene.ctx, { teams: ['Entregas'] });
  const [team = ''] = anna.teamIds;
  const { id: numberId } = await aNumber(scene.ctx);
  const { id: contactId } = await aContact(scene.ctx);
  const id = await aConversation(scene.ctx, { numberId, contactId });
  const address = `${scene.base}/inbox/${id}`;

  const { reply } = await transact(scene.ctx, async ({ sql }) => {
    await sql.rows(
      'update conversations set assigned_team_id = $2, assigned_member_id = $3 where id = $1',
      [id, team, anna.id],
    );
    const reply = scene.people.owner.send(address, 'transfer', { to: team });
    await untilWaiting(scene.database.app);
    return { reply };
  });

  expect((await reply).status).toBe(409);
});
