import { beforeEach, describe, expect, it } from '@jest/globals';
import { deleteContact } from '../../src/contacts/deleting.ts';
import type { Context } from '../../src/context.ts';
import { groupDeleted } from '../../src/groups/leaving.ts';
import { cancelRemindersOf } from '../../src/reminders/cancelling.ts';
import { untilWaiting } from '../support/database.ts';
import type { Reply } from '../support/http.ts';
import { opened } from '../support/opened.ts';
import { aDesk, type Desk, openReminderDoor } from './support/desk.ts';

const door = opened(openReminderDoor);
let desk: Desk;
beforeEach(async () => {
  desk = await aDesk(door);
});

type Gone = Parameters<typeof cancelRemindersOf>[1];

/** Cancels the reminders of what goes; before that, somebody changes this one. */
function whileChanging(id: string) {
  let change: Promise<Reply> | undefined;
  const farewell = async (tx: Context, gone: Gone): Promise<void> => {
    if (!change) {
      change = desk.call('PATCH', `/reminders/${id}`, { text: 'Olá' });
      await untilWaiting(door.database.system);
    }
    await cancelRemindersOf(tx, gone);
  };
  // Each waits for what the other has, and PostgreSQL ends the one that is the first to find that out, which begins again.
  const expectCancelled = async (): Promise<void> => {
    const { status, body } = (await change) ?? {};
    if (status !== 200) expect(body.error).toMatchObject({ code: 'invalid_state' });
    expect((await desk.call('GET', `/reminders/${id}`)).body.status).toBe('cancelled');
  };
  return { farewell, expectCancelled };
}

describe('a reminder is changed just as it is cancelled: it is cancelled', () => {
  it('with its group, which WhatsApp deleted', async () => {
    const group_id = await desk.group();
    const id = await desk.created({ target: 'group', contact_id: null, group_id });
    const { farewell, expectCancelled } = whileChanging(id);

    await groupDeleted(desk.ctx, { numberId: desk.numberId, providerId: group_id }, farewell);

    await expectCancelled();
  });

  it('with its contact', async () => {
    const { farewell, expectCancelled } = whileChanging(await desk.created());

    await deleteContact(desk.ctx, desk.contactId, [farewell]);

    await expectCancelled();
  });
});
