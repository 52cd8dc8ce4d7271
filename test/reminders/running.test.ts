import { describe, expect, it } from '@jest/globals';
import { sqlOver } from '../../src/db/database.ts';
import { cancelReminder } from '../../src/reminders/cancelling.ts';
import { changeReminder } from '../../src/reminders/service.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aSegment } from '../support/factories/segments.ts';
import { keepHistory } from '../support/histories.ts';
import { eventually } from '../support/waiting.ts';
import { DAY, HOUR, MINUTE, reminderScene } from './support/scene.ts';

const { scene, remind, runsOf, standing, messagesOf, inTime, numberIs, rows } = reminderScene();

/** Daily to a contact, first in so long. */
async function daily(ms: number, wishes: object = {}) {
  const { id: contact_id } = await aContact(scene.ctx);
  const when = await inTime(ms);
  const id = await remind({
    target: 'contact',
    contact_id,
    repeat: 'daily',
    time: when.time,
    ...wishes,
  });
  return { id, at: when.at };
}

/** The messages of one minute from now on stay in the queue. */
async function threeWaiting() {
  const { id: segment_id } = await aSegment(scene.ctx);
  for (const name of ['Ana', 'Bia', 'Caio']) await aContact(scene.ctx, { name, tags: ['vip'] });
  scene.stage.sending = false;
  const { time } = await inTime(HOUR);
  const id = await remind({ target: 'segment', segment_id, repeat: 'daily', time });
  await scene.stage.advance(HOUR + 3 * MINUTE);
  // Not right before one of its looks: a timer that this server fires in the middle of the task that cancels it has it refuse
  // the task for good.
  await eventually(async () => {
    await scene.stage.advance(1_000);
    const [look] = await rows<{ at: Date }>('select looks_at as at from reminders where id = $1', [
      id,
    ]);
    return Number(look?.at) - Number(await scene.stage.now()) > 10_000;
  });
  expect((await messagesOf(id)).map(({ status }) => status)).toEqual([
    'queued',
    'queued',
    'queued',
  ]);
  return id;
}

describe('a reminder', () => {
  it('goes out once at its moment, and is done', async () => {
    const { id: contact_id, phone } = await aContact(scene.ctx);
    const { date, time, at } = await inTime(3 * DAY);
    const id = await remind({ target: 'contact', contact_id, repeat: 'once', date, time });

    await scene.stage.advance(2 * DAY);
    expect(await runsOf(id)).toEqual([]);
    await scene.stage.advance(2 * DAY);

    const run = { at, status: 'sent', recipients: 1, sent: 1, failed: 0, reasons: {} };
    expect(await runsOf(id)).toEqual([run]);
    expect(await standing(id)).toEqual({ status: 'done', next: null, reason: null });
    expect(await messagesOf(id)).toEqual([{ to: phone, text: 'Oi!', status: 'sent' }]);
    const told = await sqlOver(scene.stage.database.system).rows<{ payload: string }>(
      "select payload from facts where organization_id = $1 and type = 'message.sent'",
      [scene.ctx.organizationId],
    );
    expect(told.map(({ payload }) => JSON.parse(payload).data)).toMatchObject([
      { source: 'reminder', contact_id, number_id: scene.numberId, message: { text: 'Oi!' } },
    ]);
    await scene.stage.handleOf(id).result();
    await keepHistory(scene.stage.handleOf(id), 'run-reminder-once');
  });

  it('ends after its last day', async () => {
    const last = await inTime(12 * HOUR + 2 * DAY);
    const { id } = await daily(12 * HOUR, { ends_on: last.date });

    await scene.stage.advance(6 * DAY);

    expect((await runsOf(id)).map(({ status }) => status)).toEqual(['sent', 'sent', 'sent']);
    expect(await standing(id)).toMatchObject({ status: 'done', next: null });
    await keepHistory(scene.stage.handleOf(id), 'run-reminder-last-day');
  });

  it('that sleeps for months costs a timer a month and no more', async () => {
    const { id: contact_id } = await aContact(scene.ctx);
    const { date, time } = await inTime(100 * DAY);
    const id = await remind({ target: 'contact', contact_id, repeat: 'once', date, time });
    await scene.stage.advance(DAY);
    const { historyLength: asleep } = await scene.stage.handleOf(id).describe();

    await scene.stage.advance(28 * DAY);
    expect((await scene.stage.handleOf(id).describe()).historyLength).toBe(asleep);
    await scene.stage.advance(70 * DAY);

    const { historyLength } = await scene.stage.handleOf(id).describe();
    expect(historyLength).toBeLessThanOrEqual(asleep + 3 * 15);
    expect(await runsOf(id)).toEqual([]);
  });

  it('that is changed while it sleeps runs at its new time, with its new text', async () => {
    const { id } = await daily(20 * HOUR);
    const { time, at } = await inTime(5 * HOUR);

    await changeReminder(await scene.stage.at(scene.ctx), id, { time, text: 'Novo' });
    await scene.stage.advance(6 * HOUR);

    expect(await runsOf(id)).toMatchObject([{ at, status: 'sent' }]);
    expect((await messagesOf(id)).map(({ text }) => text)).toEqual(['Novo']);
    await cancelReminder(await scene.stage.at(scene.ctx), id);
    await scene.stage.advance(MINUTE);
    await scene.stage.handleOf(id).result();
    await keepHistory(scene.stage.handleOf(id), 'run-reminder-changed-asleep');
  });

  it('whose zone moved its clocks since it was planned runs at the time that the rule says now', async () => {
    const { id, at } = await daily(10 * HOUR);
    // As planned by an older release of the zones, an hour too late.
    await rows(
      `update reminders set next_run_at = next_run_at + interval '1 hour', wakes_at = wakes_at + interval '1 hour' where id = $1`,
      [id],
    );
    await scene.stage.handleOf(id).signal('wake');

    await scene.stage.advance(10 * HOUR + 5 * MINUTE);

    expect(await runsOf(id)).toMatchObject([{ at, status: 'sent' }]);
    expect(await standing(id)).toMatchObject({ next: new Date(at.getTime() + DAY) });
  });
});

describe('a run that cannot begin', () => {
  it('waits for its number and goes out late within the hour', async () => {
    const { id, at } = await daily(HOUR);
    await numberIs('disconnected');
    await scene.stage.advance(HOUR + 10 * MINUTE);
    expect(await runsOf(id)).toEqual([]);

    await numberIs('connected');
    await scene.stage.advance(10 * MINUTE);

    expect(await runsOf(id)).toMatchObject([{ at, status: 'sent' }]);
    expect(await standing(id)).toMatchObject({ next: new Date(at.getTime() + DAY) });
    await keepHistory(scene.stage.handleOf(id), 'run-reminder-waited');
  });

  it('is missed after an hour, and only the next one goes out', async () => {
    const { id, at } = await daily(HOUR);
    await numberIs('disconnected');
    await scene.stage.advance(3 * HOUR);
    await numberIs('connected');

    await scene.stage.advance(DAY);

    expect(await runsOf(id)).toMatchObject([
      { at, status: 'missed', recipients: 1, reasons: { number_unavailable: 1 } },
      { at: new Date(at.getTime() + DAY), status: 'sent' },
    ]);
    expect(await messagesOf(id)).toHaveLength(1);
  });

  it('of `once` is missed and done', async () => {
    const { date, time } = await inTime(HOUR);
    const { id } = await daily(HOUR, { repeat: 'once', date, time });
    await numberIs('suspended');

    await scene.stage.advance(3 * HOUR);

    expect(await runsOf(id)).toMatchObject([{ status: 'missed' }]);
    expect(await standing(id)).toMatchObject({ status: 'done' });
  });
});

describe('cancelling while a run is under way', () => {
  it('withdraws what has not left, and the run says how many', async () => {
    const id = await threeWaiting();

    await cancelReminder(await scene.stage.at(scene.ctx), id);
    scene.stage.sending = true;
    await scene.stage.advance(HOUR);

    expect(new Set((await messagesOf(id)).map(({ status }) => status))).toEqual(
      new Set(['cancelled']),
    );
    expect(await runsOf(id)).toMatchObject([
      { status: 'skipped', recipients: 3, sent: 0, reasons: { cancelled: 3 } },
    ]);
    expect(await standing(id)).toMatchObject({ status: 'cancelled', reason: 'requested' });
    await scene.stage.handleOf(id).result();
    await keepHistory(scene.stage.handleOf(id), 'run-reminder-cancelled-in-a-run');
  });

  it('by an operator of Temporal cancels the reminder, and its rows are right', async () => {
    const id = await threeWaiting();

    await scene.stage.handleOf(id).cancel();
    scene.stage.sending = true;
    await expect(scene.stage.handleOf(id).result()).rejects.toThrow(/cancel/i);

    expect(await standing(id)).toMatchObject({
      status: 'cancelled',
      reason: 'requested',
      next: null,
    });
    expect(await runsOf(id)).toMatchObject([{ status: 'skipped', reasons: { cancelled: 3 } }]);
    const [row] = await rows('select wakes_at as wakes from reminders where id = $1', [id]);
    expect(row).toEqual({ wakes: null });
    await keepHistory(scene.stage.handleOf(id), 'run-reminder-cancelled-by-operator');
  });
});
