import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Actor } from '../../src/access/actor.ts';
import { mergeContacts } from '../../src/contacts/merging/merging.ts';
import { contactDeletion } from '../../src/contacts/routes.ts';
import { createContext } from '../../src/db/contexts.ts';
import { transact } from '../../src/db/transact.ts';
import { cancelRemindersOf } from '../../src/reminders/cancelling.ts';
import { reminderRoutes } from '../../src/reminders/routes.ts';
import type { ReminderProgress } from '../../src/reminders/rules.ts';
import { advanceReminder } from '../../src/reminders/running/advance.ts';
import { takeStep } from '../../src/reminders/running/step.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aSegment } from '../support/factories/segments.ts';
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

/** Half past nine the next day: a reminder of nine is half an hour late. */
const LATE = new Date('2026-11-21T12:30:00.000Z');

/** A worker's look at a reminder, so many milliseconds after `LATE`. */
const look = (reminderId: string, { ms = 0, steps = 50 } = {}): Promise<ReminderProgress> => {
  let left = steps;
  const mayGoOn = (): boolean => {
    left -= 1;
    return left > 0;
  };
  const contextFor = (organizationId: string, actor: Actor) =>
    createContext(
      { database: door.database, wake: () => {} },
      { organizationId, actor, now: new Date(LATE.getTime() + ms) },
    );
  return advanceReminder(
    { contextFor, mayGoOn, behindMs: () => 0 },
    { organizationId: desk.ctx.organizationId, reminderId },
  );
};
const people = async (count: number) => {
  const made = [];
  for (let n = 0; n < count; n += 1) made.push(await aContact(desk.ctx, { tags: ['vip'] }));
  return made.map(({ id }) => id);
};
const toSegment = async () => {
  const { id: segment_id } = await aSegment(desk.ctx);
  return desk.created({ target: 'segment', contact_id: null, segment_id });
};
const queued = (id: string) =>
  desk.rows<{ contact: string; status: string }>(
    'select contact_id as contact, status from messages where reminder_id = $1 order by contact_id',
    [id],
  );
const runs = (id: string) =>
  desk.rows<{ status: string; at: Date }>(
    'select status, scheduled_for as at from reminder_runs where reminder_id = $1 order by scheduled_for',
    [id],
  );

describe('a run', () => {
  it('that many workers look at, and that dies after each step, queues everybody once', async () => {
    const ids = await people(12);
    const id = await toSegment();

    for (let round = 0; round < 6; round += 1)
      await Promise.all([1, 2, 3, 4].map(() => look(id, { steps: 1 })));
    const { stage } = await look(id);

    expect(stage).toBe('running');
    expect((await queued(id)).map(({ contact }) => contact)).toEqual(ids.toSorted());
    expect(await runs(id)).toEqual([{ status: 'running', at: new Date('2026-11-21T12:00:00Z') }]);
  });

  it('whose worker ends before each of its commits has left nothing behind, and goes on as if it had never been', async () => {
    const ids = await people(3);
    const id = await toSegment();
    const contextAt = () =>
      createContext(
        { database: door.database, wake: () => {} },
        { organizationId: desk.ctx.organizationId, actor: desk.ctx.actor, now: LATE },
      );
    const state = () =>
      desk.rows(
        `select r.status, r.wakes_at, (select count(*) from reminder_runs) as runs,
           (select count(*) from reminder_recipients) as recipients, (select count(*) from messages) as messages
         from reminders r where id = $1`,
        [id],
      );
    let more = true;
    let deaths = 0;
    while (more) {
      const before = await state();
      const dying = transact(contextAt(), async (tx) => {
        await takeStep(tx, id);
        throw new TypeError('dead');
      });
      await expect(dying).rejects.toThrow('dead');
      expect(await state()).toEqual(before);
      deaths += 1;
      more = (await transact(contextAt(), (tx) => takeStep(tx, id))) === 'more';
    }

    expect(deaths).toBeGreaterThan(0);
    expect((await queued(id)).map(({ contact }) => contact)).toEqual(ids.toSorted());
  });

  it('after three days of absence is one at most: the others are written down as missed', async () => {
    await people(2);
    const id = await toSegment();

    await look(id, { ms: 3 * 86_400_000 });

    expect((await runs(id)).map(({ status }) => status)).toEqual([
      ...['missed', 'missed', 'missed', 'running'],
    ]);
    expect(await queued(id)).toHaveLength(2);
    const { body } = await desk.call('GET', `/reminders/${id}`);
    expect(body.next_run_at).toBe('2026-11-25T12:00:00.000Z');
    const shown = await desk.call('GET', `/reminders/${id}/runs`);
    expect(shown.body.data.at(-1)).toMatchObject({
      status: 'missed',
      started_at: null,
      recipients: 0,
    });
  });

  it('passes over a contact that was deleted while its message waited', async () => {
    const [gone = ''] = await people(2);
    const id = await toSegment();
    await look(id);

    await desk.call('DELETE', `/contacts/${gone}`);
    await desk.rows("update messages set status = 'sent' where reminder_id = $1", [id]);
    await look(id, { ms: 10_000 });

    const { body } = await desk.call('GET', `/reminders/${id}/runs`);
    expect(body.data).toMatchObject([
      { status: 'partial', recipients: 2, sent: 1, reasons: { no_recipient: 1 } },
    ]);
    const left = await desk.rows('select from reminder_recipients where contact_id = $1', [gone]);
    expect(left).toEqual([]);
  });

  it('writes once to two contacts that became one before they were written to', async () => {
    const [first = '', second = ''] = await people(2);
    const id = await toSegment();
    await look(id);
    // As in the moment before: everybody is written down, and nobody queued.
    await desk.rows('delete from outgoing_messages');
    await desk.rows('delete from messages where reminder_id = $1', [id]);
    await desk.rows("update reminder_recipients set status = 'pending', message_id = null");

    await mergeContacts(desk.ctx, first, second);
    await look(id);

    expect((await queued(id)).map(({ contact }) => contact)).toEqual([first]);
  });

  it('counts what became of each message, in words of its own', async () => {
    await people(4);
    const id = await toSegment();
    await look(id);
    const [a, b, c] = await desk.rows<{ id: string }>(
      'select id from messages where reminder_id = $1 order by id',
      [id],
    );
    const write = (status: string, message: { id: string } | undefined, reason: string | null) =>
      desk.rows('update messages set status = $1, error = $3::jsonb where id = $2', [
        status,
        message?.id,
        reason && JSON.stringify({ reason }),
      ]);
    await write('delivered', a, null);
    await write('failed', b, 'no_whatsapp');
    await write('unconfirmed', c, null);
    await look(id, { ms: 5_000 });
    const during = (await desk.call('GET', `/reminders/${id}/runs`)).body.data[0];
    await desk.rows(
      "update messages set status = 'read' where reminder_id = $1 and status = 'queued'",
      [id],
    );
    await look(id, { ms: 20_000 });

    const { body } = await desk.call('GET', `/reminders/${id}/runs`);
    const reasons = { no_whatsapp: 1, unconfirmed: 1 };
    expect(during).toMatchObject({ status: 'running', recipients: 4, sent: 1, failed: 1, reasons });
    const sums = { recipients: 4, sent: 2, failed: 1, unconfirmed: 1, skipped: 0, cancelled: 0 };
    expect(body.data[0]).toMatchObject({ status: 'partial', ...sums, reasons });
  });
});
