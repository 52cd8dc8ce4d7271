import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Context } from '../../src/context.ts';
import { type NewReminder, newReminderBody } from '../../src/reminders/schema.ts';
import { createReminder } from '../../src/reminders/service.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { keepHistory } from '../support/histories.ts';
import { openReminderStage, type ReminderStage } from './stage.ts';

let stage: ReminderStage;
let ctx: Context;
let numberId: string;
beforeAll(async () => {
  stage = await openReminderStage();
});
afterAll(() => stage.close());
beforeEach(async () => {
  ctx = await stage.aWorkspace();
  numberId = (await aNumber(ctx)).id;
});

const MINUTE = 60_000;
const DAY = 86_400_000;

async function remind(wishes: Partial<NewReminder>): Promise<string> {
  const body = newReminderBody.parse({
    title: 'Retorno',
    text: 'Oi!',
    number_id: numberId,
    time_zone: 'UTC',
    ...wishes,
  });
  const { id } = await createReminder(await stage.at(ctx), body);
  await stage.settle();
  return id;
}

interface Run {
  readonly at: Date;
  readonly status: string;
  readonly recipients: number;
  readonly sent: number;
  readonly reasons: object;
}
const runsOf = (id: string): Promise<Run[]> =>
  stage.rows<Run>(
    ctx,
    `select scheduled_for as at, status, recipients, sent, reasons from reminder_runs where reminder_id = $1 order by 1`,
    [id],
  );
const reminder = async (id: string) =>
  (
    await stage.rows<{ status: string; next_run_at: Date | null; wakes_at: Date | null }>(
      ctx,
      'select status, next_run_at, wakes_at from reminders where id = $1',
      [id],
    )
  )[0];

/** The time of day of a moment so many milliseconds from now, and its date. */
async function inTime(ms: number): Promise<{ date: string; time: string; at: Date }> {
  const at = new Date(Math.ceil(((await stage.now()).getTime() + ms) / MINUTE) * MINUTE);
  const iso = at.toISOString();
  return { date: iso.slice(0, 10), time: iso.slice(11, 16), at };
}

describe('a reminder', () => {
  it('goes out once at its moment, and is done', async () => {
    const { id: contact_id } = await aContact(ctx);
    const { date, time, at } = await inTime(3 * DAY);
    const id = await remind({ target: 'contact', contact_id, repeat: 'once', date, time });

    await stage.advance(2 * DAY);
    expect(await runsOf(id)).toEqual([]);
    await stage.advance(2 * DAY);

    expect(await runsOf(id)).toEqual([{ at, status: 'sent', recipients: 1, sent: 1, reasons: {} }]);
    expect(await reminder(id)).toEqual({ status: 'done', next_run_at: null, wakes_at: null });
    const messages = await stage.rows(
      ctx,
      'select text, status, source, reminder_id as reminder from messages where contact_id = $1',
      [contact_id],
    );
    expect(messages).toEqual([{ text: 'Oi!', status: 'sent', source: 'reminder', reminder: id }]);
    await stage.handleOf(id).result();
    await keepHistory(stage.handleOf(id), 'run-reminder-once');
  });
});
