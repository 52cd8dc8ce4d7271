import { expect, it } from '@jest/globals';
import { asOwner } from '../webhooks/events/support/refusing.ts';
import { laneScene } from './support/lane.ts';

const { scene, aRelay, aTalk, say, rows, becomes } = laneScene();

const REFUSE_ONCE = `
create sequence tries;
create function refuse() returns trigger language plpgsql security definer as $$ begin
  if nextval('tries') = 1 then raise 'refused by the test'; end if;
  return new; end $$;
create trigger refused before update on contacts for each row when (new.opted_out) execute function refuse()`;

it('an opt-out that the answer to a send tells of is kept before its message counts as failed, if need be by a second try', async () => {
  const { conversationId, contactId } = await aTalk({ phone: '+5511980131050' });
  await asOwner(scene.files.url, REFUSE_ONCE);
  const id = await say(conversationId);
  await aRelay();

  await becomes(id, 'failed');

  const optedOut = 'select opted_out from contacts where id = $1';
  expect(await rows(optedOut, [contactId])).toEqual([{ opted_out: true }]);
});
