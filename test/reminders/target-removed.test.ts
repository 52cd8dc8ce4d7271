import { beforeEach, describe, expect, it } from '@jest/globals';
import { contactDeletion } from '../../src/contacts/routes.ts';
import { createContext } from '../../src/db/contexts.ts';
import { transact } from '../../src/db/transact.ts';
import { cancelRemindersOf } from '../../src/reminders/cancelling.ts';
import { reminderRoutes } from '../../src/reminders/routes.ts';
import { takeStep } from '../../src/reminders/running/step.ts';
import { advanceTogether } from '../../src/reminders/together/advance.ts';
import { aContact } from '../support/factories/contacts.ts';
import { openDoor } from '../support/http.ts';
import { opened } from '../support/opened.ts';
import { aDesk, type Desk, NOW } from './support/desk.ts';

let desk: Desk;

const door = opened(() =>
  openDoor({
    routes: [...reminderRoutes, contactDeletion(cancelRemindersOf)],
    clock: { now: () => NOW, skewMs: 0 },
  }),
);
beforeEach(async () => {
  desk = await aDesk(door);
});

const FIRST_RUN = Date.parse('2026-11-21T12:00:00.000Z');
const DAY = 24 * 60 * 60_000;

/** As the lane does it, so many milliseconds after the first run is due. */
async function moved(ids: readonly string[], ms: number): Promise<void> {
  const { organizationId, actor } = desk.ctx;
  const ctx = createContext(
    { database: door.database, wake: () => {} },
    { organizationId, actor, now: new Date(FIRST_RUN + ms) },
  );
  for (let round = 0; round < 5; round += 1) {
    const alone = await transact(ctx, (tx) => advanceTogether(tx, ids));
    for (const id of alone) await transact(ctx, (tx) => takeStep(tx, id));
  }
}

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

  it('erases what the reminders to it say, also of those that are over, and nothing of others', async () => {
    const mine = { title: 'Ligar para Ana', text: 'Oi Ana, Rua A, 1?' };
    const ids = [
      await desk.created(mine),
      await desk.created({ ...mine, repeat: 'once', date: '2026-11-21' }),
      await desk.created({ ...mine, contact_id: (await aContact(desk.ctx)).id }),
    ];
    await moved(ids, 0);
    await desk.rows(`update messages set status = 'sent'`);
    await moved(ids, 3_000);

    await desk.call('DELETE', `/contacts/${desk.contactId}`);
    await moved(ids, DAY);

    const shown = await Promise.all(ids.map((id) => desk.call('GET', `/reminders/${id}`)));
    expect(shown.map(({ body }) => [body.status, body.title, body.text])).toEqual([
      ['cancelled', '…', ''],
      ['done', '…', ''],
      ['active', mine.title, mine.text],
    ]);
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

  it('cancels the reminders to its phone, which forget it, and nobody makes the person anew', async () => {
    const toPhone = (changes: object) =>
      desk.created({ target: 'phone', contact_id: null, ...changes });
    const daily = await toPhone({ phone: '+5511987650001' });
    const once = await toPhone({ phone: '+551187650001', repeat: 'once', date: '2026-11-21' });
    const other = await toPhone({ phone: '+5511987650002' });
    const ids = [daily, once, other];
    await moved(ids, 0);
    await desk.rows(`update messages set status = 'sent'`);
    await moved(ids, 3_000);
    const [contact] = await desk.rows<{ id: string }>(
      `select id from contacts where phone_key = '+551187650001'`,
    );

    await desk.call('DELETE', `/contacts/${contact?.id}`);
    await moved(ids, DAY);

    const shown = await Promise.all(ids.map((id) => desk.call('GET', `/reminders/${id}`)));
    expect(shown.map(({ body }) => [body.status, body.cancel_reason, body.phone])).toEqual([
      ['cancelled', 'target_removed', null],
      ['done', null, null],
      ['active', null, '+5511987650002'],
    ]);
    expect(await desk.entries(daily)).toEqual(['reminder.created', 'reminder.cancelled']);
    const kept = await desk.rows<{ said: string }>(
      `select c::text as said from contacts c union all select r::text from reminders r
       union all select u::text from reminder_runs u union all select p::text from reminder_recipients p`,
    );
    expect(kept.filter(({ said }) => said.includes('87650001'))).toEqual([]);
  });

  it('forgets its phone also where an earlier version kept it, and keeps the counts', async () => {
    const id = await desk.created();
    await moved([id], 0);
    await desk.rows(`update reminder_recipients set recipient_key = '+5511987650003'`);

    await desk.call('DELETE', `/contacts/${desk.contactId}`);

    expect(await desk.rows('select recipient_key, status from reminder_recipients')).toEqual([
      { recipient_key: id, status: 'skipped' },
    ]);
  });
});
