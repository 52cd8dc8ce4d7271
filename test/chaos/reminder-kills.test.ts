import { describe, expect, it } from '@jest/globals';
import { until } from '../support/house/child.ts';
import { again, death, dies } from './acts.ts';
import { onStage, type Stage } from './stage.ts';

const LIMIT_MS = 300_000;
const PEOPLE = 60;
/** 16 places of a number in flight, twice over: whom the death of a worker may leave unconfirmed. */
const IN_FLIGHT = 32;

/** A birthday reminder of everybody, due this very minute: as if it had been planned for it long ago. */
async function dueNow(stage: Stage, call: Parameters<Stage['call']>[0]): Promise<string> {
  const [number] = await stage.rows<{ id: string }>('select id from numbers limit 1');
  await stage.people(PEOPLE);
  await stage.rows(
    "update contacts set birth_date = make_date(1992, extract(month from now() at time zone 'UTC')::int, extract(day from now() at time zone 'UTC')::int)",
  );
  const reply = await stage.call(call, 'POST', '/reminders', {
    body: {
      title: 'Parabéns',
      text: 'Parabéns!',
      target: 'birthday',
      number_id: number?.id,
      repeat: 'yearly',
      time: '12:00',
      time_zone: 'UTC',
    },
  });
  expect([reply.status, reply.text]).toEqual([201, expect.any(String)]);
  const { id } = JSON.parse(reply.text) as { id: string };
  await stage.rows(
    `update reminders set due_day = (now() at time zone 'UTC')::date, time = to_char(now() at time zone 'UTC', 'HH24:MI')
     where id = $1`,
    [id],
  );
  await again(stage, { type: 'reminder.changed', payload: JSON.stringify({ reminderId: id }) });
  return id;
}

/** A worker that finds work at once may be dead before it says that it is ready. */
async function diesEarly({ house }: Stage, point: string, nth: number): Promise<void> {
  const started = await house.start('worker', dies(point, nth)).catch((error: Error) => {
    if (!error.message.includes('the process ended with null')) throw error;
    return null;
  });
  if (started) await death(started);
}

const runs = (stage: Stage) =>
  stage.rows<{ status: string; recipients: number; sent: number }>(
    'select status, recipients, sent from reminder_runs',
  );

describe('a run of a reminder', () => {
  it(
    'whose workers are killed before and after commits and after WhatsApp accepted: nobody gets it twice, and it ends',
    () =>
      onStage({}, async (stage) => {
        const { house } = stage;
        const [api, first] = await Promise.all([
          house.start('api'),
          house.start('worker', dies('before-commit', 1)),
        ]);
        await dueNow(stage, api);
        await death(first);
        await diesEarly(stage, 'after-commit', 1);
        await diesEarly(stage, 'after-gateway-accept', 20);
        await house.start('worker');
        await until(
          'the run ends',
          async () => {
            const [run] = await runs(stage);
            return run !== undefined && run.status !== 'running';
          },
          { timeoutMs: 180_000, everyMs: 200 },
        );

        const accepted = await stage.house.simulator.accepted();
        const keys = accepted.map(({ key }) => key);
        expect(new Set(keys).size).toBe(keys.length);
        const told = await stage.rows<{ contact: string; status: string; times: number }>(
          `select r.contact_id as contact, r.status, count(m.id)::int as times
           from reminder_recipients r left join messages m on m.contact_id = r.contact_id and m.source = 'reminder'
           group by 1, 2`,
        );
        expect(told).toHaveLength(PEOPLE);
        expect(told.filter(({ times }) => times !== 1)).toEqual([]);
        const open = told.filter(({ status }) => status !== 'sent');
        expect(new Set(open.map(({ status }) => status))).toEqual(
          new Set(open.length > 0 ? ['unconfirmed'] : []),
        );
        expect(open.length).toBeLessThanOrEqual(IN_FLIGHT);
        expect(await runs(stage)).toMatchObject([
          { recipients: PEOPLE, sent: PEOPLE - open.length },
        ]);
      }),
    LIMIT_MS,
  );
});
