import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { contactDeletion } from '../../src/contacts/routes.ts';
import { cancelRemindersOf } from '../../src/reminders/cancelling.ts';
import { reminderRoutes } from '../../src/reminders/routes.ts';
import { aContact } from '../support/factories/contacts.ts';
import { type OpenDoor, openDoor } from '../support/http.ts';
import { aDesk, type Desk, NOW } from './support/desk.ts';

let door: OpenDoor;
let desk: Desk;
beforeAll(async () => {
  door = await openDoor({
    routes: [...reminderRoutes, contactDeletion(cancelRemindersOf)],
    clock: { now: () => NOW, skewMs: 0 },
  });
});
afterAll(() => door.close());
beforeEach(async () => {
  desk = await aDesk(door);
});

describe('deleting a contact', () => {
  it('cancels the reminders to it, in the same transaction, and says so in the log', async () => {
    const id = await desk.created();

    const deleted = await desk.call('DELETE', `/contacts/${desk.contactId}`);

    expect(deleted.status).toBe(200);
    expect((await desk.call('GET', `/reminders/${id}`)).body).toMatchObject({
      status: 'cancelled',
      cancel_reason: 'target_removed',
      next_run_at: null,
    });
    expect(await desk.entries(id)).toEqual(['reminder.created', 'reminder.cancelled']);
  });

  it('never leaves an active reminder behind that was made at the same moment', async () => {
    for (let round = 0; round < 5; round++) {
      const { id: contact_id } = await aContact(desk.ctx);
      await Promise.all([
        desk.call('DELETE', `/contacts/${contact_id}`),
        ...[1, 2, 3].map(() => desk.call('POST', '/reminders', desk.body({ contact_id }))),
      ]);
    }

    const orphans = await desk.rows(
      `select r.id from reminders r left join contacts c on c.organization_id = r.organization_id and c.id = r.contact_id
       where r.status = 'active' and c.id is null`,
    );

    expect(orphans).toEqual([]);
  });
});
