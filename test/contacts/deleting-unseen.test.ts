import { expect, it } from '@jest/globals';
import { aMember } from '../support/members.ts';
import { opened } from '../support/opened.ts';
import { openLife } from './support/life.ts';

const life = opened(openLife);

it('a member with a narrow sight deletes a contact only if they see all conversations with it', async () => {
  const { id, conversation } = await life.aPerson('Fábio', '+5511981000009');
  const member = await aMember(life.ctx, { role: 'admin', visibility: 'assigned' });
  const remove = () => life.call('DELETE', `/${id}`, undefined, member.token);

  const unseen = await remove();
  const kept = await life.rows('select id from conversations where contact_id = $1', [id]);
  await life.rows('update conversations set assigned_member_id = $2 where id = $1', [
    conversation,
    member.id,
  ]);
  const seen = await remove();

  expect([unseen.status, unseen.body.error.details]).toEqual([
    403,
    { contact_id: id, visibility: 'assigned' },
  ]);
  expect(kept).toEqual([{ id: conversation }]);
  expect(seen.status).toBe(200);
});
