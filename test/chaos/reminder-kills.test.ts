import { describe, expect, it } from '@jest/globals';
import { createReminder, newReminderOf } from '../../src/reminders/service.ts';
import { until } from '../support/processes/child.ts';
import { again, death, dies } from './support/acts.ts';
import { type ChaosStage, onChaosStage } from './support/stage.ts';

const LIMIT_MS = 300_000;
const PEOPLE = 60;
/** 16 places of a number in flight, twice over: whom the death of a worker may leave unconfirmed. */
const IN_FLIGHT = 32;

/**
 * A birthday reminder of everybody, due this very minute, as if it had been planned for it long ago: for the
 * lane by its row, and for its workflow by commands that no relay had ever finished.
 */
async function dueNow(stage: ChaosStage): Promise<void> {
  const [number] = await stage.rows<{ id: string }>('select id from numbers limit 1');
  await stage.people(PEOPLE);
  // One moment for both: midnight may fall between them.
  const now = new Date().toISOString();
  await stage.rows('update contacts set birth_date = $1', [`1992-${now.slice(5, 10)}`]);
  const said = { title: 'Parabéns', text: 'Parabéns!', target: 'birthday', number_id: number?.id };
  const when = { repeat: 'yearly', time: '12:00', time_zone: 'UTC' };
  const { id } = await createReminder(stage.ctx, newReminderOf({ ...said, ...when }));
  await stage.rows('update reminders set due_day = $2, time = $3, wakes_at = now() where id = $1', [
    id,
    now.slice(0, 10),
    now.slice(11, 16),
  ]);
  await again(stage, { type: 'reminder.changed', payload: JSON.stringify({ reminderId: id }) });
}

const runs = (stage: ChaosStage) =>
  stage.rows<{ status: string; recipients: number; sent: number }>(
    'select status, recipients, sent from reminder_runs',
  );

describe('a run of a reminder', () => {
  it(
    'whose worker is killed when WhatsApp has accepted some: nobody gets it twice, and it ends',
    () =>
      onChaosStage({}, async (stage) => {
        const { processes } = stage;
        const first = await processes.start('worker', dies('after-gateway-accept', 5));
        await dueNow(stage);
        await death(first);
        await processes.start('worker');
        await until(
          'the run ends',
          async () => {
            const [run] = await runs(stage);
            return run !== undefined && run.status !== 'running';
          },
          { timeoutMs: 180_000, everyMs: 200 },
        );

        const accepted = await stage.processes.simulator.accepted();
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
