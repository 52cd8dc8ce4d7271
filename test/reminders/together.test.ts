import { describe, expect, it } from '@jest/globals';
import { mergeContacts } from '../../src/contacts/merging/merging.ts';
import { updateContact } from '../../src/contacts/service.ts';
import type { Context } from '../../src/context.ts';
import { createContext } from '../../src/db/contexts.ts';
import { transact } from '../../src/db/transact.ts';
import { takeStep } from '../../src/reminders/running/step.ts';
import { advanceTogether } from '../../src/reminders/together/advance.ts';
import { aContact } from '../support/factories/contacts.ts';
import { opened } from '../support/opened.ts';
import { aDesk, type Desk, openReminderDoor } from './support/desk.ts';

const door = opened(openReminderDoor);

const AT = Date.parse('2026-11-21T12:00:00.000Z');
const MINUTE = 60_000;

const asOf = ({ ctx: { organizationId, actor } }: Desk, ms: number): Context =>
  createContext(
    { database: door.database, wake: () => {} },
    { organizationId, actor, now: new Date(AT + ms) },
  );

type Mover = (desk: Desk, ids: readonly string[], ms: number) => Promise<unknown>;

const MOST_ROUNDS = 10;

/** As the lane does it: together as long as that moves any. */
const together: Mover = async (desk, ids, ms) => {
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const alone = await transact(asOf(desk, ms), (tx) => advanceTogether(tx, ids));
    for (const id of alone) await transact(asOf(desk, ms), (tx) => takeStep(tx, id));
  }
};

const eachAlone: Mover = async (desk, ids, ms) => {
  for (const id of ids)
    for (let round = 0; round < MOST_ROUNDS; round += 1)
      await transact(asOf(desk, ms), (tx) => takeStep(tx, id));
};

/** Reminders of nine o'clock of every kind that has one recipient, by name. */
async function allKinds(desk: Desk): Promise<Map<string, string>> {
  const contact = async (wishes: object) => (await aContact(desk.ctx, wishes)).id;
  const to = (contact_id: string, changes: object = {}) => desk.created({ contact_id, ...changes });
  const phone = { target: 'phone', contact_id: null, phone: '+5511987650001' };
  const once = { repeat: 'once', date: '2026-11-21' };
  const optedOut = await contact({ name: 'Bia' });
  await desk.rows('update contacts set opted_out = true where id = $1', [optedOut]);
  const deleted = await contact({ name: 'Caio' });
  const second = await contact({ name: 'Íris' });
  await mergeContacts(desk.ctx, second, await contact({ phone: '+5511987650002' }));
  await updateContact(desk.ctx, second, { phone: '' });
  const ids = {
    daily: await to(await contact({ name: 'Ana Souza' }), { text: 'Oi, {{first_name}}!' }),
    once: await to(await contact({ name: 'Davi' }), once),
    lastDay: await to(await contact({ name: 'Eva' }), { ends_on: '2026-11-21' }),
    monthly: await to(await contact({ name: 'Fábio' }), { repeat: 'monthly', month_day: 21 }),
    again: await to(desk.contactId),
    againToo: await to(desk.contactId, { text: 'Outra' }),
    optedOut: await to(optedOut),
    variable: await to(await contact({ name: 'Gil' }), { text: 'Oi, {{custom.cidade}}' }),
    gone: await to(deleted),
    phone: await desk.created(phone),
    phoneAgain: await desk.created({ ...phone, ...once }),
    phoneOtherwise: await desk.created({ ...phone, phone: '+551187650001' }),
    secondPhone: await desk.created({ ...phone, phone: '+5511987650002' }),
    noPhone: await to(second),
    group: await desk.created({ target: 'group', contact_id: null, group_id: await desk.group() }),
    later: await to(await contact({ name: 'Hugo' }), { time: '10:00' }),
  };
  await desk.rows('delete from contacts where id = $1', [deleted]);
  return new Map(Object.entries(ids));
}

/** All that reminders left behind, with names for ids. */
async function left(desk: Desk, ids: ReadonlyMap<string, string>) {
  const names = new Map([...ids].map(([name, id]) => [id, name]));
  const rows = await desk.rows<{ id: string }>(
    `select r.id, r.status, r.next_run_at, r.due_day, r.wakes_at, u.scheduled_for, u.day, u.status as run, u.recipients,
       u.sent, u.failed, u.unconfirmed, u.skipped, u.cancelled, u.reasons, u.content is null as closed, u.started_at,
       u.finished_at, p.status as recipient, p.reason, c.name, c.phone is null as phoneless, c.origin, c.created_via,
       m.text, m.status as message, m.source, m.author, m.type, m.number_id = r.number_id as own,
       o.to_phone, o.priority, o.despite_opt_out
     from reminders r left join reminder_runs u on u.reminder_id = r.id
     left join reminder_recipients p on p.reminder_id = r.id and p.scheduled_for = u.scheduled_for
     left join contacts c on c.id = p.contact_id
     left join messages m on m.id = p.message_id
     left join outgoing_messages o on o.message_id = m.id`,
  );
  const told = rows.map(({ id, ...row }) => [names.get(id), row] as const);
  const facts = await desk.rows(
    `select action, count(*) from audit_entries where action = 'contact.created' group by 1`,
  );
  const open = await desk.rows('select count(*), count(distinct contact_id) from conversations');
  return { told: new Map(told), count: told.length, facts, open };
}

const heard = (desk: Desk, ids: ReadonlyMap<string, string>, fates: Record<string, string>) =>
  Promise.all(
    [...ids].map(([name, id]) =>
      desk.rows(
        `update messages set status = $2, error = case when $2 = 'failed' then '{"reason": "no_whatsapp"}'::jsonb end
         where reminder_id = $1 and status = 'queued'`,
        [id, fates[name] ?? 'sent'],
      ),
    ),
  );

describe('reminders of one minute that are moved together', () => {
  it('leave behind what each would have left alone, when they begin and when they end', async () => {
    const desks = [await aDesk(door), await aDesk(door)] as const;
    const ids = [await allKinds(desks[0]), await allKinds(desks[1])] as const;
    const both = (move: (n: 0 | 1) => Promise<unknown>) => Promise.all([move(0), move(1)]);
    const compared = async () => {
      const own = await left(desks[0], ids[0]);
      const other = await left(desks[1], ids[1]);
      expect(own).toEqual(other);
      return own;
    };
    const movers = [together, eachAlone] as const;
    const moved = (ms: number) => both((n) => movers[n](desks[n], [...ids[n].values()], ms));

    await moved(-1);
    expect((await compared()).told.get('daily')).toMatchObject({ run: null });
    await moved(1_000);
    const begun = await compared();
    expect(begun.told.get('daily')).toMatchObject({
      run: 'running',
      recipient: 'queued',
      text: 'Oi, Ana!',
      due_day: '2026-11-22',
    });
    expect(begun.told.get('optedOut')).toMatchObject({ run: 'skipped', reason: 'opted_out' });
    expect(begun.told.get('variable')).toMatchObject({ reason: 'missing_variable' });
    expect(begun.told.get('daily')).toMatchObject({ to_phone: null });
    expect(begun.told.get('phoneOtherwise')).toMatchObject({ to_phone: '+5511987650001' });
    expect(begun.told.get('secondPhone')).toMatchObject({
      name: 'Íris',
      to_phone: '+5511987650002',
      run: 'running',
    });
    expect(begun.told.get('noPhone')).toMatchObject({ run: 'skipped', reason: 'no_phone' });
    expect(begun.told.get('gone')).toMatchObject({ reason: 'no_recipient', message: null });
    expect(begun.told.get('later')).toMatchObject({ run: null });
    expect(begun.count).toBe(ids[0].size);
    await both((n) =>
      heard(desks[n], ids[n], { once: 'failed', again: 'unconfirmed', group: 'read' }),
    );
    await moved(5_000);
    const ended = await compared();
    expect(ended.told.get('once')).toMatchObject({ status: 'done', run: 'failed', failed: 1 });
    expect(ended.told.get('lastDay')).toMatchObject({ status: 'done', run: 'sent', sent: 1 });
    expect(ended.told.get('daily')).toMatchObject({ status: 'active', run: 'sent' });
    expect(ended.told.get('again')).toMatchObject({
      run: 'failed',
      unconfirmed: 1,
      reasons: { unconfirmed: 1 },
    });
    expect(ended.count).toBe(ids[0].size);
  });

  it('wait for their number, go out late within the hour, and are missed after it', async () => {
    const desk = await aDesk(door);
    const late = await desk.created();
    const missed = await desk.created({ time: '08:50' });
    const stands = () =>
      desk.rows<{ id: string; run: string | null }>(
        'select r.id, u.status as run from reminders r left join reminder_runs u on u.reminder_id = r.id',
      );
    const numberIs = (status: string) => desk.rows('update numbers set status = $1', [status]);
    await numberIs('disconnected');
    for (let ms = 0; ms <= 55 * MINUTE; ms += MINUTE) {
      await transact(asOf(desk, ms), (tx) => advanceTogether(tx, [late, missed]));
    }
    await together(desk, [late, missed], 55 * MINUTE);
    expect(await stands()).toEqual(
      expect.arrayContaining([
        { id: late, run: null },
        { id: missed, run: 'missed' },
      ]),
    );

    await numberIs('connected');
    await together(desk, [late, missed], 58 * MINUTE);

    expect(await stands()).toEqual(
      expect.arrayContaining([
        { id: late, run: 'running' },
        { id: missed, run: 'missed' },
      ]),
    );
  });

  it('go out once, however many move them at the same moment, together and alone', async () => {
    const desk = await aDesk(door);
    const people = await Promise.all(Array.from({ length: 20 }, () => aContact(desk.ctx)));
    const ids: string[] = [];
    for (const { id } of people) ids.push(await desk.created({ contact_id: id }));

    await Promise.all([
      ...[1, 2, 3].map(() => together(desk, ids, MINUTE)),
      eachAlone(desk, ids.toReversed(), MINUTE),
    ]);

    const sent = await desk.rows<{ contact: string }>(
      'select contact_id as contact from messages where reminder_id = any($1) order by 1',
      [ids],
    );
    expect(sent.map(({ contact }) => contact)).toEqual(people.map(({ id }) => id).toSorted());
  });

  it.each([[{ repeat: 'daily' }], [{ repeat: 'once', date: '2026-11-21' }]])(
    'of %j are ended by their cancellation: what was withdrawn is counted, and nobody looks again',
    async (when) => {
      const desk = await aDesk(door);
      const id = await desk.created(when);
      await together(desk, [id], 1_000);

      await desk.call('DELETE', `/reminders/${id}`);
      await desk.rows('update reminders set wakes_at = $2 where id = $1', [id, new Date(AT)]);
      await together(desk, [id], 2_000);

      const runs = await desk.call('GET', `/reminders/${id}/runs`);
      expect(runs.body.data).toMatchObject([
        { status: 'skipped', recipients: 1, cancelled: 1, sent: 0, reasons: { cancelled: 1 } },
      ]);
      const [row] = await desk.rows(
        'select status, wakes_at as wakes from reminders where id = $1',
        [id],
      );
      expect(row).toEqual({ status: 'cancelled', wakes: null });
    },
  );
});
