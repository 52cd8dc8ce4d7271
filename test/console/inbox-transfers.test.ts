import { expect, it } from '@jest/globals';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation } from '../support/factories/conversations.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aMember } from '../support/members.ts';
import { opened } from '../support/opened.ts';
import { aConsoleScene } from './support/scene.ts';

const scene = opened(() => aConsoleScene());

it('offers a transfer to everybody but who has it already', async () => {
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

  expect(first).toHaveLength(2);
  expect(ofTeam).toEqual([`${team}/${memberId}`]);
  expect(ofMember).toEqual([team]);
});
