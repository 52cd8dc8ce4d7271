import { beforeEach, describe, expect, it } from '@jest/globals';
import { inWorkspace } from '../../src/db/database.ts';
import { transact } from '../../src/db/transact.ts';
import { begin } from '../../src/reminders/running/beginning.ts';
import { lockReminder } from '../../src/reminders/running/state.ts';
import { takeStep } from '../../src/reminders/running/step.ts';
import { createSegment } from '../../src/segments/service.ts';
import { aContact } from '../support/factories/contacts.ts';
import { fillTables } from '../support/fill-tables.ts';
import { aMember } from '../support/members.ts';
import { opened } from '../support/opened.ts';
import { aDesk, type Desk, openReminderDoor } from './support/desk.ts';

let desk: Desk;

const door = opened(openReminderDoor);
beforeEach(async () => {
  desk = await aDesk(door);
});

const born = (birth_date: string, wishes: object = {}) =>
  aContact(desk.ctx, { birth_date, ...wishes });
const birthdays = (changes: object = {}) =>
  desk.body({ target: 'birthday', contact_id: null, repeat: 'yearly', ...changes });
const create = async (changes?: object, key?: string) =>
  (await desk.call('POST', '/reminders', birthdays(changes), key)).body;
const nextOf = async (id: string): Promise<string | null> =>
  (await desk.call('GET', `/reminders/${id}`)).body.next_run_at;

describe('a birthday reminder', () => {
  it('runs next on the next birthday that somebody has, whatever the year of birth', async () => {
    await born('1990-11-20');
    await born('1985-12-03');
    await born('1970-02-01');

    const { next_run_at, date } = await create();

    // It is eleven o'clock: today's, at nine, is past.
    expect([next_run_at, date]).toEqual(['2026-12-03T12:00:00.000Z', null]);
    expect((await create({ time: '18:00' })).next_run_at).toBe('2026-11-20T21:00:00.000Z');
  });

  it('has no next run while nobody has a birthday, and one as soon as somebody does', async () => {
    const { id, next_run_at, status } = await create();
    await born('1992-03-15');

    const listed = await desk.call('GET', '/reminders');

    expect([next_run_at, status]).toEqual([null, 'active']);
    expect(await nextOf(id)).toBe('2027-03-15T12:00:00.000Z');
    expect(listed.body.data[0].next_run_at).toBe('2027-03-15T12:00:00.000Z');
  });

  it('has no next run once it is cancelled, whoever has a birthday', async () => {
    await born('1990-12-03');
    const { id } = await create();

    await desk.call('DELETE', `/reminders/${id}`);

    expect(await nextOf(id)).toBeNull();
  });

  it('shows what was last known where looking takes too long, and does not look for minutes', async () => {
    await born('1990-12-03');
    for (let n = 0; n < 12; n += 1) await create();
    const last = '2026-12-03T12:00:00.000Z';
    const began = performance.now();

    const listed = await inWorkspace(door.database, desk.ctx.organizationId, async (sql) => {
      await sql.rows('lock table contacts in access exclusive mode');
      return desk.call('GET', '/reminders');
    });

    expect(listed.status).toBe(200);
    expect(listed.body.data.map((one: { next_run_at: string }) => one.next_run_at)).toEqual(
      Array(12).fill(last),
    );
    // One look ends after 5 seconds; twelve of them would be a minute.
    expect(performance.now() - began).toBeLessThan(45_000);
  });

  it('runs once more on a day on which it ran, at a later hour, for those it has not reached', async () => {
    await born('1990-11-20');
    const { id } = await create({ time: '12:00' });
    await transact({ ...desk.ctx, now: new Date('2026-11-20T15:00:00.000Z') }, (tx) =>
      takeStep(tx, id),
    );

    await desk.call('PATCH', `/reminders/${id}`, { time: '18:00' });

    expect(await desk.rows('select day, status from reminder_runs')).toEqual([
      { day: '2026-11-20', status: 'running' },
    ]);
    expect(await desk.rows('select due_day from reminders')).toEqual([{ due_day: '2026-11-20' }]);
  });

  it('keeps 29 February on 28 in common years', async () => {
    await born('1904-02-29', { birth_year_known: false });

    expect((await create()).next_run_at).toBe('2027-02-28T12:00:00.000Z');
  });

  it('passes over people who opted out, unless it is transactional, and over blocked ones', async () => {
    const { id: out } = await born('1990-12-01');
    const { id: blocked } = await born('1990-12-02');
    await desk.rows('update contacts set opted_out = true where id = $1', [out]);
    await desk.rows('update contacts set blocked = true where id = $1', [blocked]);
    const person = await aMember(desk.ctx);

    const ordinary = await create();
    const transactional = await create({ transactional: true }, person.token);

    expect(ordinary.next_run_at).toBeNull();
    expect(transactional.next_run_at).toBe('2026-12-01T12:00:00.000Z');
  });

  it('keeps to the people of a segment when it has one', async () => {
    await born('1990-12-01');
    await born('1990-12-24', { tags: ['VIP'] });
    const { id: segment_id } = await createSegment(desk.ctx, {
      name: 'VIP',
      rules: { field: 'tag', op: 'has_any', value: ['vip'] },
    });

    const all = await create();
    const few = await create({ segment_id });

    expect(all.next_run_at).toBe('2026-12-01T12:00:00.000Z');
    expect(few.next_run_at).toBe('2026-12-24T12:00:00.000Z');
    const widened = await desk.call('PATCH', `/reminders/${few.id}`, { segment_id: null });
    expect(widened.body.next_run_at).toBe('2026-12-01T12:00:00.000Z');
  });

  it('begins where its segment takes too long to say whether anybody is reached', async () => {
    await born('1990-12-01');
    const { id: segment_id } = await createSegment(desk.ctx, {
      name: 'Sem negócio',
      rules: { field: 'deal.status', op: 'has_none', value: ['open'] },
    });
    const { id } = await create({ segment_id });
    const due = { day: '2026-12-01', at: new Date('2026-12-01T12:00:00Z') };

    await inWorkspace(door.database, desk.ctx.organizationId, async (sql) => {
      await sql.rows('lock table deals in access exclusive mode');
      await transact({ ...desk.ctx, em: desk.ctx.em.fork() }, async (tx) => {
        const reminder = await lockReminder(tx, id);
        if (reminder) await begin(tx, reminder, due);
      });
    });

    const runs = 'select scheduled_for as at, status from reminder_runs where reminder_id = $1';
    expect(await desk.rows(runs, [id])).toEqual([{ at: due.at, status: 'running' }]);
  });

  it('finds the next one by an index among many people', async () => {
    await fillTables(door.database, desk.ctx.organizationId, (sql) =>
      sql.rows(
        `insert into contacts (organization_id, id, birth_date, origin, created_via, created_at, updated_at)
       select $1, 'con_' || n, date '1960-01-01' + (n % 20000), 'import', 'import', now(), now() from generate_series(1, 20000) n`,
        [desk.ctx.organizationId],
      ),
    );

    const plan = await desk.rows<{ 'QUERY PLAN': string }>(
      `explain select c.birth_day from contacts c where c.organization_id = $1 and c.birth_day >= $2
         and not c.blocked and not c.opted_out order by c.birth_day limit 1`,
      [desk.ctx.organizationId, 1_120],
    );

    expect(JSON.stringify(plan)).toContain('contacts_birth_day');
    expect(JSON.stringify(plan)).not.toMatch(/Seq Scan|Sort/);
  });
});
