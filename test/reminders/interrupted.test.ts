import { describe, expect, it } from '@jest/globals';
import { LATE, lookedAt } from './support/looked-at.ts';

const { scene, look, people, toSegment, unqueue, queued, runs } = lookedAt();
const MINUTE = 60_000;
const DAY = 86_400_000;

describe('a run that was interrupted', () => {
  it('by an hour in which everything was down has missed the rest, who get the next one alone', async () => {
    const ids = await people(3);
    const id = await toSegment();
    await look(id);
    await unqueue(id);

    await look(id, { ms: DAY - 10 * MINUTE });

    expect(await runs(id)).toMatchObject([{ status: 'missed' }, { status: 'running' }]);
    expect((await queued(id)).map(({ contact }) => contact)).toEqual(ids.toSorted());
    const { body } = await scene.desk.call('GET', `/reminders/${id}/runs`);
    expect(body.data[1]).toMatchObject({
      recipients: 3,
      sent: 0,
      failed: 3,
      reasons: { missed: 3 },
    });
  });

  it('before anybody of its people was written down has missed them, and skipped nobody', async () => {
    await people(2);
    const id = await toSegment();
    await look(id);
    await unqueue(id);
    await scene.desk.rows('delete from reminder_recipients');
    await scene.desk.rows('update reminder_runs set frozen_at = null, recipients = 0');

    await look(id, { ms: 70 * MINUTE });

    expect(await runs(id)).toMatchObject([{ status: 'missed' }]);
  });

  it.each([
    ['unconfirmed', null],
    ['failed', '{"reason": "no_whatsapp"}'],
  ])('after one was sent in vain (%s) has failed, and not merely missed', async (status, error) => {
    await people(3);
    const id = await toSegment();
    await look(id);
    const { rows } = scene.desk;
    await rows(
      `update messages set status = $2, error = $3 where id = (select min(id) from messages where reminder_id = $1)`,
      [id, status, error],
    );
    await rows(
      `update reminder_recipients set status = 'pending', message_id = null
       where message_id <> (select min(id) from messages)`,
    );
    await rows('delete from outgoing_messages');
    await rows("delete from messages where status = 'queued'");

    await look(id, { ms: 70 * MINUTE });

    expect(await runs(id)).toMatchObject([{ status: 'failed' }]);
  });

  it('for less than an hour goes on', async () => {
    const ids = await people(2);
    const id = await toSegment();
    await look(id);
    await unqueue(id);

    await look(id, { ms: 59 * MINUTE });

    expect((await queued(id)).map(({ contact }) => contact)).toEqual(ids.toSorted());
  });

  it('by its number waits an hour from when that went down, not from its last message', async () => {
    await people(2);
    const id = await toSegment();
    await look(id);
    await unqueue(id);
    const down = new Date(LATE.getTime() + 55 * MINUTE);
    await scene.desk.rows("update numbers set status = 'disconnected', down_since = $1", [down]);
    const standings = () =>
      scene.desk.rows('select status, reason from reminder_recipients group by 1, 2');

    for (const minutes of [40, 62, 110]) await look(id, { ms: minutes * MINUTE });
    const during = await standings();
    await look(id, { ms: 116 * MINUTE });

    expect(during).toEqual([{ status: 'pending', reason: null }]);
    expect(await standings()).toEqual([{ status: 'failed', reason: 'number_unavailable' }]);
  });
});

describe('a run that is looked at when it was planned', () => {
  it('is not late by the hours that its zone has moved its clocks since', async () => {
    const id = await scene.desk.created();
    const planned = new Date(LATE.getTime() + 90 * MINUTE);
    await scene.desk.rows('update reminders set next_run_at = $1, wakes_at = $1', [planned]);

    await look(id, { ms: 90 * MINUTE });

    expect(await runs(id)).toMatchObject([{ status: 'running' }]);
  });
});

describe('a run in progress', () => {
  it('goes on at once when its reminder is given another time', async () => {
    await people(2);
    const id = await toSegment();
    await look(id);

    expect((await scene.desk.call('PATCH', `/reminders/${id}`, { time: '18:00' })).status).toBe(
      200,
    );

    const told = await scene.desk.rows('select wakes_at < next_run_at as "goesOn" from reminders');
    expect(told).toEqual([{ goesOn: true }]);
  });
});
