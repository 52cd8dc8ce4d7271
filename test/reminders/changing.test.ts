import { beforeEach, describe, expect, it } from '@jest/globals';
import { transact } from '../../src/db/transact.ts';
import { newId } from '../../src/ids.ts';
import { takeStep } from '../../src/reminders/running/step.ts';
import { opened } from '../support/opened.ts';
import { aDesk, type Desk, openReminderDoor } from './support/desk.ts';

let desk: Desk;

const door = opened(openReminderDoor);
beforeEach(async () => {
  desk = await aDesk(door);
});

const patch = (id: string, body: object) => desk.call('PATCH', `/reminders/${id}`, body);

describe('changing a reminder', () => {
  it('keeps what is left out, counts the next run from now, and writes the log', async () => {
    const id = await desk.created();

    const reply = await patch(id, { time: '12:30', title: 'Almoço' });

    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({
      title: 'Almoço',
      text: 'Oi! Como foi?',
      time: '12:30',
      next_run_at: '2026-11-20T15:30:00.000Z',
    });
    expect(await desk.entries(id)).toEqual(['reminder.created', 'reminder.updated']);
    const [entry] = await desk.rows<{ changes: unknown }>(
      "select changes from audit_entries where action = 'reminder.updated'",
    );
    expect(entry?.changes).toEqual([
      { field: 'title', from: 'Retorno', to: 'Almoço' },
      { field: 'time', from: '09:00', to: '12:30' },
    ]);
  });

  it.each([
    [{ time: '08:00' }, 'time'],
    [{ time_zone: 'Asia/Tokyo' }, 'time_zone'],
    [{ date: '2026-11-19' }, 'date'],
  ])('by %j into the past is refused at its %s', async (body, path) => {
    const id = await desk.created({ repeat: 'once', date: '2026-11-20', time: '18:00' });

    const reply = await patch(id, body);

    expect(reply.status).toBe(422);
    expect(reply.body.error.details).toEqual([
      { path, rule: 'past', message: 'This time has passed.' },
    ]);
  });

  it('never shows a text in the log', async () => {
    const id = await desk.created();
    await patch(id, { text: 'Uma palavra secreta' });

    const log = JSON.stringify(await desk.rows('select changes from audit_entries'));

    expect(log).toContain('[hidden]');
    expect(log).not.toContain('secreta');
    expect(log).not.toContain('Como foi');
  });

  it('drops what the new repeat or target has no use for', async () => {
    const id = await desk.created({ repeat: 'weekly', weekday: 1 });

    const daily = await patch(id, { repeat: 'daily' });
    const byPhone = await patch(id, { target: 'phone', phone: '+5511987654321' });

    expect(daily.body).toMatchObject({ repeat: 'daily', weekday: null });
    expect(byPhone.body).toMatchObject({ target: 'phone', contact_id: null });
  });

  it('asks for what the new repeat needs, and refuses what it has no use for', async () => {
    const id = await desk.created();

    const lacking = await patch(id, { repeat: 'monthly' });
    const tooMuch = await patch(id, { repeat: 'weekly', weekday: 1, month_day: 3 });

    expect(lacking.body.error.details).toMatchObject([{ path: 'month_day', rule: 'required' }]);
    expect(tooMuch.body.error.details).toMatchObject([
      { path: 'month_day', rule: 'not_applicable' },
    ]);
    expect((await desk.call('GET', `/reminders/${id}`)).body.repeat).toBe('daily');
  });

  it('leaves the next run alone when only the words change', async () => {
    const id = await desk.created({ repeat: 'once', date: '2026-11-21' });
    // Late, as after an outage: inside its grace it still has to run.
    await desk.rows("update reminders set date = '2026-11-20', next_run_at = '2026-11-20T12:00Z'");

    const reply = await patch(id, { text: 'Oi de novo' });

    expect(reply.body).toMatchObject({
      text: 'Oi de novo',
      next_run_at: '2026-11-20T12:00:00.000Z',
    });
  });

  it('runs at the first moment of the new rule, though that has the old one too', async () => {
    const id = await desk.created({ repeat: 'weekly', weekday: 1 });

    const daily = await patch(id, { repeat: 'daily' });

    expect(daily.body.next_run_at).toBe('2026-11-21T12:00:00.000Z');
  });

  it('leaves a run due that waits for its number, as long as the new rule has it too', async () => {
    const id = await desk.created({ time: '10:30' });
    const due = '2026-11-20T13:30:00.000Z';
    await desk.rows(
      `update reminders set due_day = '2026-11-20', next_run_at = $1, wakes_at = $1`,
      [due],
    );

    const last = await patch(id, { ends_on: '2026-11-20' });
    const onward = await patch(id, { ends_on: null });
    const moved = await patch(id, { time: '10:45' });

    expect([last, onward].map(({ body }) => body.next_run_at)).toEqual([due, due]);
    expect(moved.body.next_run_at).toBe('2026-11-21T13:45:00.000Z');
  });

  it.each([
    [{ time: '12:30' }, '2026-11-21T15:30:00.000Z'],
    [{ time_zone: 'Pacific/Honolulu' }, '2026-11-21T22:00:00.000Z'],
    [{ repeat: 'weekdays', time: '12:30' }, '2026-11-23T15:30:00.000Z'],
  ])('by %j goes out no second time on a day that had its run', async (body, next) => {
    const id = await desk.created({ time: '12:00' });
    await transact({ ...desk.ctx, now: new Date('2026-11-20T15:00:00.000Z') }, (tx) =>
      takeStep(tx, id),
    );

    const reply = await patch(id, body);

    expect(reply.status).toBe(200);
    expect(reply.body.next_run_at).toBe(next);
    expect(await desk.rows('select due_day from reminders')).toEqual([
      { due_day: next.slice(0, 10) },
    ]);
  });

  it('by a later hour of a day whose run was missed goes out on that day', async () => {
    const id = await desk.created({ time: '12:00' });
    await desk.rows(
      `insert into reminder_runs (organization_id, id, reminder_id, scheduled_for, day, status)
       values ($1, $2, $3, '2026-11-20T12:00Z', '2026-11-20', 'missed')`,
      [desk.ctx.organizationId, newId('rrn'), id],
    );

    expect((await patch(id, { time: '12:30' })).body.next_run_at).toBe('2026-11-20T15:30:00.000Z');
  });

  it('refuses one of `once` whose run has begun, so that nobody gets it twice', async () => {
    const id = await desk.created({ repeat: 'once', date: '2026-11-20', time: '12:00' });
    const noon = { ...desk.ctx, now: new Date('2026-11-20T15:00:00.000Z') };
    await transact(noon, (tx) => takeStep(tx, id));

    const moved = await patch(id, { time: '12:30' });
    const reworded = await patch(id, { text: 'Oi de novo' });
    const cancelled = await desk.call('DELETE', `/reminders/${id}`);

    expect([moved, reworded].map(({ status }) => status)).toEqual([409, 409]);
    expect(moved.body.error).toMatchObject({
      code: 'invalid_state',
      details: { status: 'running', allowed: ['active'] },
    });
    expect(cancelled.status).toBe(200);
  });

  it('writes nothing when nothing differs', async () => {
    const id = await desk.created();

    const replies = [await patch(id, {}), await patch(id, { time: '09:00', weekday: null })];

    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    expect(await desk.entries(id)).toEqual(['reminder.created']);
  });

  it.each(['done', 'cancelled'])('refuses one that is %s', async (status) => {
    const id = await desk.created();
    await desk.rows('update reminders set status = $1', [status]);

    for (const method of ['PATCH', 'DELETE']) {
      const reply = await desk.call(
        method,
        `/reminders/${id}`,
        method === 'PATCH' ? {} : undefined,
      );
      expect(reply.status).toBe(409);
      expect(reply.body.error).toMatchObject({
        code: 'invalid_state',
        details: { status, allowed: ['active'] },
      });
    }
  });
});

describe('cancelling a reminder', () => {
  it('answers the record, cancelled, and keeps it and its runs', async () => {
    const id = await desk.created();

    const reply = await desk.call('DELETE', `/reminders/${id}`);

    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({
      id,
      title: 'Retorno',
      status: 'cancelled',
      next_run_at: null,
      cancel_reason: 'requested',
    });
    expect((await desk.call('GET', `/reminders/${id}`)).body).toEqual(reply.body);
    expect(await desk.entries(id)).toEqual(['reminder.created', 'reminder.cancelled']);
  });

  it('leaves out those of a run under way who were not sent to yet', async () => {
    const id = await desk.created();
    const at = '2026-11-20T12:00:00.000Z';
    await desk.rows(
      `insert into reminder_runs (organization_id, id, reminder_id, scheduled_for, status, recipients)
       values ($1, $2, $3, $4, 'running', 2)`,
      [desk.ctx.organizationId, newId('rrn'), id, at],
    );
    await desk.rows(
      `insert into reminder_recipients (organization_id, reminder_id, scheduled_for, recipient_key, status)
       values ($1, $2, $3, 'a', 'sent'), ($1, $2, $3, 'b', 'pending')`,
      [desk.ctx.organizationId, id, at],
    );

    await desk.call('DELETE', `/reminders/${id}`);

    expect(
      await desk.rows('select recipient_key, status from reminder_recipients order by 1'),
    ).toEqual([
      { recipient_key: 'a', status: 'sent' },
      { recipient_key: 'b', status: 'cancelled' },
    ]);
  });

  it('happens once, also when two ask at the same moment', async () => {
    const id = await desk.created();

    const replies = await Promise.all([1, 2].map(() => desk.call('DELETE', `/reminders/${id}`)));

    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(await desk.entries(id)).toEqual(['reminder.created', 'reminder.cancelled']);
  });
});
