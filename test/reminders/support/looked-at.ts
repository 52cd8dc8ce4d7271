import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import type { Actor } from '../../../src/access/actor.ts';
import { contactDeletion } from '../../../src/contacts/routes.ts';
import { createContext } from '../../../src/db/contexts.ts';
import { cancelRemindersOf } from '../../../src/reminders/cancelling.ts';
import { reminderRoutes } from '../../../src/reminders/routes.ts';
import type { ReminderProgress } from '../../../src/reminders/rules.ts';
import { advanceReminder } from '../../../src/reminders/running/advance.ts';
import { aContact } from '../../support/factories/contacts.ts';
import { aSegment } from '../../support/factories/segments.ts';
import { type OpenDoor, openDoor } from '../../support/http.ts';
import { aDesk, type Desk, NOW } from './desk.ts';

/** Half past nine the next day: a reminder of nine is half an hour late. */
export const LATE = new Date('2026-11-21T12:30:00.000Z');

/** One door for a file; a desk for each test, whose reminders nobody looks at but the test. */
export function lookedAt() {
  const scene = {} as { door: OpenDoor; desk: Desk };
  beforeAll(async () => {
    scene.door = await openDoor({
      routes: [...reminderRoutes, contactDeletion(cancelRemindersOf)],
      clock: { now: () => NOW, skewMs: 0 },
    });
  });
  afterAll(() => scene.door.close());
  beforeEach(async () => {
    scene.desk = await aDesk(scene.door);
  });

  return {
    scene,
    /** A worker's look at a reminder, so many milliseconds after `LATE`. */
    look: (reminderId: string, { ms = 0, steps = 50 } = {}): Promise<ReminderProgress> => {
      let left = steps;
      const mayGoOn = (): boolean => {
        left -= 1;
        return left > 0;
      };
      const contextFor = (organizationId: string, actor: Actor) =>
        createContext(
          { database: scene.door.database, wake: () => {} },
          { organizationId, actor, now: new Date(LATE.getTime() + ms) },
        );
      return advanceReminder(
        { contextFor, mayGoOn, behindMs: () => 0 },
        { organizationId: scene.desk.ctx.organizationId, reminderId },
      );
    },
    people: async (count: number): Promise<string[]> => {
      const made = [];
      for (let n = 0; n < count; n += 1)
        made.push(await aContact(scene.desk.ctx, { tags: ['vip'] }));
      return made.map(({ id }) => id);
    },
    toSegment: async (): Promise<string> => {
      const { id: segment_id } = await aSegment(scene.desk.ctx);
      return scene.desk.created({ target: 'segment', contact_id: null, segment_id });
    },
    /** As in the moment before: everybody is written down, and nobody queued. */
    unqueue: async (id: string): Promise<void> => {
      await scene.desk.rows('delete from outgoing_messages');
      await scene.desk.rows('delete from messages where reminder_id = $1', [id]);
      await scene.desk.rows("update reminder_recipients set status = 'pending', message_id = null");
    },
    queued: (id: string) =>
      scene.desk.rows<{ contact: string; status: string }>(
        'select contact_id as contact, status from messages where reminder_id = $1 order by contact_id',
        [id],
      ),
    runs: (id: string) =>
      scene.desk.rows<{ status: string; at: Date }>(
        'select status, scheduled_for as at from reminder_runs where reminder_id = $1 order by scheduled_for',
        [id],
      ),
  };
}
