import { describe, expect, it } from '@jest/globals';
import { cancelReminder } from '../../src/reminders/cancelling.ts';
import type { When } from '../../src/reminders/rules.ts';
import { nextRun, runAfter } from '../../src/reminders/schedule.ts';
import { aContact } from '../support/factories/contacts.ts';
import { DAY, HOUR, reminderScene } from './support/scene.ts';

const { scene, remind, runsOf, messagesOf, standing, inTime } = reminderScene();

type Rule = Pick<When, 'repeat' | 'time' | 'time_zone'> &
  Partial<Pick<When, 'date' | 'weekday' | 'month_day'>>;

/** What the rule says for the time from a moment to another; another test holds it against a calendar. */
function expected(rule: Rule, from: Date, to: Date): Date[] {
  const when: When = { date: null, weekday: null, month_day: null, ends_on: null, ...rule };
  const moments: Date[] = [];
  for (let run = nextRun(when, from); run && run.at <= to; run = runAfter(when, run.at))
    moments.push(run.at);
  return moments;
}

async function made(rule: Rule) {
  const { id: contact_id } = await aContact(scene.ctx);
  const id = await remind({ target: 'contact', contact_id, ...rule });
  return { id, rule, from: await scene.stage.now() };
}

/** A run a while ago and one to come are the same on both sides of the edge. */
const EDGE = HOUR;

async function sentAsExpected({ id, rule, from }: Awaited<ReturnType<typeof made>>, to: Date) {
  const runs = await runsOf(id);
  const moments = expected(rule, from, to);
  expect({ rule, runs: runs.map(({ at }) => at) }).toEqual({ rule, runs: moments });
  expect(runs.filter(({ status }) => status !== 'sent')).toEqual([]);
  expect(await messagesOf(id)).toHaveLength(moments.length);
}

/** Far from the edges of what is looked at: the time of day of six hours ago, in the zone UTC has no part in. */
const elsewhere = async () => (await inTime(-6 * HOUR)).time;

describe('in skipped time', () => {
  it('each day and each working day of a month get one message at the time of the zone', async () => {
    const time = await elsewhere();
    const all = [
      await made({ repeat: 'daily', time, time_zone: 'America/New_York' }),
      await made({ repeat: 'daily', time, time_zone: 'Australia/Lord_Howe' }),
      await made({ repeat: 'weekdays', time, time_zone: 'America/Sao_Paulo' }),
    ];

    await scene.stage.advance(30 * DAY);
    for (const { id } of all) await cancelReminder(await scene.stage.at(scene.ctx), id);
    await scene.stage.settle();

    const to = await scene.stage.now();
    for (const each of all) await sentAsExpected(each, to);
  });

  it('400 days of weeks, months, a leap day and one day are exactly their runs', async () => {
    const time = await elsewhere();
    const { date } = await inTime(200 * DAY);
    const all = [
      await made({ repeat: 'weekly', weekday: 7, time, time_zone: 'Europe/Lisbon' }),
      await made({ repeat: 'monthly', month_day: 31, time, time_zone: 'Pacific/Apia' }),
      await made({ repeat: 'yearly', date: '2024-02-29', time, time_zone: 'Asia/Kathmandu' }),
      await made({ repeat: 'once', date, time, time_zone: 'America/St_Johns' }),
    ];

    await scene.stage.advance(400 * DAY + EDGE);

    const to = await scene.stage.now();
    for (const each of all) await sentAsExpected(each, to);
    const ended = await Promise.all(all.map(async ({ id }) => (await standing(id))?.status));
    expect(ended).toEqual(['active', 'active', 'active', 'done']);
  });

  it('the rush of one minute reaches everybody once', async () => {
    const { date, time } = await inTime(2 * HOUR);
    const ids: string[] = [];
    for (let n = 0; n < 40; n += 1) {
      const { id: contact_id } = await aContact(scene.ctx);
      ids.push(await remind({ target: 'contact', contact_id, repeat: 'once', date, time }));
    }

    await scene.stage.advance(4 * HOUR);

    const states = await Promise.all(ids.map((id) => standing(id)));
    expect(states.filter((state) => state?.status !== 'done')).toEqual([]);
    const messages = await Promise.all(ids.map((id) => messagesOf(id)));
    expect(messages.filter((own) => own.length !== 1 || own[0]?.status !== 'sent')).toEqual([]);
  });
});
