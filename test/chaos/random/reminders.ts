import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '../../../src/ids.ts';
import { cancelReminder } from '../../../src/reminders/cancelling.ts';
import type { Finding } from '../support/findings.ts';
import type { ChaosStage } from '../support/stage.ts';
import type { Client } from './client.ts';
import type { ChaosScene } from './scene.ts';

/** Reminders whose moment comes while parts are killed. */
export interface Reminders {
  /** The nth, to one person; one of them is for the birthdays of many. */
  begin(n: number): Promise<void>;
  readonly begun: number;
  /** Ends those that would go on, and lets each workflow look, which would find it done some minutes later. */
  end(): Promise<void>;
}

const DAY_MS = 86_400_000;
/** Which one is of birthdays, and of how many people. */
const BIRTHDAY = 2;
const BIRTHDAYS = 40;

/** Nobody can wait for a day: it is brought forward, as if the reminder had been planned for it long ago. */
const DUE = `
update reminders set wakes_at = now(), next_run_at = date_trunc('minute', now()),
  due_day = (now() at time zone 'UTC')::date, time = to_char(now() at time zone 'UTC', 'HH24:MI'),
  date = case when repeat = 'once' then (now() at time zone 'UTC')::date end
where id = $1`;

const BORN_TODAY = `
update contacts set birth_date = make_date(1992, extract(month from now() at time zone 'UTC')::int,
  extract(day from now() at time zone 'UTC')::int) where id = any($1)`;

/** @param people who are reminded. */
export function openReminders(
  stage: ChaosStage,
  { numberId }: ChaosScene,
  client: Client,
  people: readonly string[],
): Reminders {
  const ids: string[] = [];

  /** As soon as PostgreSQL is there: it may be what was killed. */
  async function surely(text: string, params: readonly unknown[]): Promise<void> {
    while (
      !(await stage.rows(text, params).then(
        () => true,
        () => false,
      ))
    )
      await sleep(100);
  }

  const whom = (n: number): object =>
    n === BIRTHDAY
      ? { target: 'birthday', repeat: 'yearly' }
      : {
          target: 'contact',
          contact_id: people[n % people.length],
          repeat: 'once',
          date: new Date(Date.now() + 30 * DAY_MS).toISOString().slice(0, 10),
        };

  return {
    begin: async (n) => {
      if (n === BIRTHDAY) await surely(BORN_TODAY, [people.slice(0, BIRTHDAYS)]);
      const said = { title: `Lembrete ${n}`, text: `Lembrete ${n}: é hoje.` };
      const when = { time: '12:00', time_zone: 'UTC', number_id: numberId };
      const { id } = await client.post('/reminders', { ...said, ...when, ...whom(n) });
      await surely(DUE, [id]);
      ids.push(String(id));
    },
    get begun() {
      return ids.length;
    },
    end: async () => {
      const birthday = ids[BIRTHDAY];
      if (birthday) await cancelReminder(stage.ctx, birthday);
      for (const reminderId of ids)
        await surely(
          `insert into facts (organization_id, id, type, is_event, payload) values ($1, $2, 'reminder.changed', false, $3)`,
          [stage.organizationId, newId('fct'), JSON.stringify({ reminderId })],
        );
    },
  };
}

const RUNS = `
select m.id, m.target, m.status as reminder, array_agg(r.status) as runs, sum(r.recipients)::int as recipients
from reminders m left join reminder_runs r on r.organization_id = m.organization_id and r.reminder_id = m.id
group by m.organization_id, m.id, m.target, m.status`;

const TOLD = `
select p.reminder_id, p.recipient_key, p.status, count(distinct g.id)::int as messages
from reminder_recipients p
join reminders m on m.organization_id = p.organization_id and m.id = p.reminder_id
left join messages g on g.organization_id = p.organization_id and g.contact_id = p.contact_id and g.text = m.text
group by 1, 2, 3`;

/** One run for each that was made, which ended; each of its people was written to once, or maybe once. */
export async function remindedOnce(stage: ChaosStage, { begun }: Reminders): Promise<Finding> {
  const reminders = await stage.rows<{
    id: string;
    target: string;
    reminder: string;
    runs: (string | null)[];
    recipients: number;
  }>(RUNS);
  const told = await stage.rows<{ status: string; messages: number }>(TOLD);
  const by = (status: string): number => told.filter((one) => one.status === status).length;
  return {
    figures: { begun, recipients: told.length, sent: by('sent'), unconfirmed: by('unconfirmed') },
    broken: {
      unlike: reminders.length === begun ? [] : [reminders.length],
      notOneRun: reminders.filter(({ runs }) => runs.length !== 1 || runs[0] === null),
      unfinished: reminders.filter(({ runs }) => runs.includes('running')),
      missed: reminders.filter(({ runs }) => runs.includes('missed')),
      notDone: reminders.filter(
        ({ target, reminder }) => reminder !== (target === 'birthday' ? 'cancelled' : 'done'),
      ),
      notOnce: told.filter(({ messages }) => messages !== 1),
      open: told.filter(({ status }) => !['sent', 'unconfirmed'].includes(status)),
    },
  };
}
