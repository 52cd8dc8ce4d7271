import { expect, it } from '@jest/globals';
import { passedOver } from '../../../src/log.ts';
import { aContact } from '../../support/factories/contacts.ts';
import { aConversation, someMessages } from '../../support/factories/conversations.ts';
import { aNumber } from '../../support/factories/numbers.ts';
import { opened } from '../../support/opened.ts';
import { asOwner } from '../../webhooks/events/support/refusing.ts';
import { openClockScene } from './support/clock.ts';

const scene = opened(openClockScene);

const silenceOfTwoHours = (): Promise<string> =>
  scene.automation({ type: 'no_reply', after: 'PT2H' });

async function anUnansweredMessage(sentAt: Date): Promise<void> {
  const ctx = scene.at(sentAt.toISOString());
  const { id: numberId } = await aNumber(ctx);
  const { id: contactId } = await aContact(ctx);
  const conversationId = await aConversation(ctx, { numberId, contactId });
  const moments = { sentAt, createdAt: sentAt };
  await someMessages(ctx, { contactId, conversationId, numberId, status: 'sent', ...moments });
  await scene.rows('update conversations set last_message_at = $2 where id = $1', [
    conversationId,
    sentAt,
  ]);
}

const breaks = (automationId: string): string => `
  create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$;
  create trigger refused before insert on automation_triggers for each row when (new.automation_id = '${automationId}')
    execute function refuse()`;

/** The automations that it has started, in their order. */
const started = async (): Promise<string[]> => {
  const rows = await scene.rows<{ id: string }>(
    'select automation_id as id from automation_triggers order by 1',
  );
  return rows.map(({ id }) => id);
};

const seen = async (automationId: string): Promise<Date | undefined> => {
  const [clock] = await scene.rows<{ at: Date }>(
    'select seen_until as at from automation_clocks where automation_id = $1',
    [automationId],
  );
  return clock?.at;
};

it('a look that fails keeps no other automation of its workspace from the clock, and misses nobody when it works again', async () => {
  const broken = await silenceOfTwoHours();
  const sound = await silenceOfTwoHours();
  await scene.tend('2026-11-20T13:01:00Z');
  await anUnansweredMessage(new Date('2026-11-20T14:00:30Z'));
  await asOwner(scene.database.url, breaks(broken));
  const before = passedOver();

  await scene.tend('2026-11-20T16:01:00Z');
  await scene.tend('2026-11-20T16:02:00Z');
  expect(await started()).toEqual([sound]);
  expect(passedOver() - before).toBe(2);
  expect(await seen(sound)).toEqual(new Date('2026-11-20T16:02:00Z'));

  await asOwner(scene.database.url, 'drop function refuse cascade');
  await scene.tend('2026-11-20T16:02:30Z');
  expect(await started()).toEqual([sound]);
  await scene.tend('2026-11-20T16:03:00Z');
  expect(await started()).toEqual([broken, sound]);
});
