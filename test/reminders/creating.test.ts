import { beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '../../src/ids.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aMember } from '../support/members.ts';
import { opened } from '../support/opened.ts';
import { aDesk, type Desk, NOW, openReminderDoor } from './support/desk.ts';

let desk: Desk;

const door = opened(openReminderDoor);
beforeEach(async () => {
  desk = await aDesk(door);
});

const create = (changes: object = {}, key?: string) =>
  desk.call('POST', '/reminders', desk.body(changes), key);

describe('creating a reminder', () => {
  it('answers 201 with the specification’s fields first, active, with its first run', async () => {
    const reply = await create();

    expect(reply.status).toBe(201);
    expect(reply.body).toEqual({
      id: expect.stringMatching(/^rem_/),
      title: 'Retorno',
      text: 'Oi! Como foi?',
      target: 'contact',
      contact_id: desk.contactId,
      group_id: null,
      segment_id: null,
      phone: null,
      number_id: desk.numberId,
      repeat: 'daily',
      date: null,
      time: '09:00',
      weekday: null,
      month_day: null,
      time_zone: 'America/Sao_Paulo',
      status: 'active',
      next_run_at: '2026-11-21T12:00:00.000Z',
      created_at: NOW.toISOString(),
      ends_on: null,
      transactional: false,
      cancel_reason: null,
    });
    expect(Object.keys(reply.body).slice(0, 18)).toEqual([
      ...['id', 'title', 'text', 'target', 'contact_id', 'group_id', 'segment_id', 'phone'],
      ...['number_id', 'repeat', 'date', 'time', 'weekday', 'month_day', 'time_zone', 'status'],
      ...['next_run_at', 'created_at'],
    ]);
    expect((await desk.call('GET', `/reminders/${reply.body.id}`)).body).toEqual(reply.body);
    expect(await desk.entries(reply.body.id)).toEqual(['reminder.created']);
  });

  it.each<[object, string]>([
    [{ repeat: 'once', date: '2026-12-24' }, '2026-12-24T12:00:00.000Z'],
    [{ repeat: 'daily', date: '2026-12-01' }, '2026-12-01T12:00:00.000Z'],
    [{ repeat: 'weekdays' }, '2026-11-23T12:00:00.000Z'],
    [{ repeat: 'weekly', weekday: 7 }, '2026-11-22T12:00:00.000Z'],
    [{ repeat: 'weekly', weekday: 0 }, '2026-11-22T12:00:00.000Z'],
    [{ repeat: 'monthly', month_day: 31 }, '2026-11-30T12:00:00.000Z'],
    [{ repeat: 'yearly', date: '2024-02-29' }, '2027-02-28T12:00:00.000Z'],
    [{ time_zone: 'America/New_York' }, '2026-11-20T14:00:00.000Z'],
    [{ ends_on: '2026-11-21' }, '2026-11-21T12:00:00.000Z'],
  ])('runs %j first at %s', async (changes, expected) => {
    const reply = await create(changes);

    expect([reply.status, reply.body.next_run_at]).toEqual([201, expected]);
  });

  it('keeps Sunday as 7, however it was written', async () => {
    expect((await create({ repeat: 'weekly', weekday: 0 })).body.weekday).toBe(7);
  });

  it('keeps a phone in its international form', async () => {
    const reply = await create({ target: 'phone', contact_id: null, phone: '+55 11 98765-4321' });

    expect(reply.body).toMatchObject({
      target: 'phone',
      phone: '+5511987654321',
      contact_id: null,
    });
  });

  it.each<[string, string, object]>([
    ['title', 'min_length', { title: '' }],
    ['title', 'max_length', { title: '✨'.repeat(121) }],
    ['text', 'max_length', { text: 'a'.repeat(4_097) }],
    ['text', 'unknown_variable', { text: 'Oi {{pix}}' }],
    ['text', 'variable_form', { text: 'Oi {name}}' }],
    ['target', 'enum', { target: 'everybody' }],
    ['repeat', 'enum', { repeat: 'hourly' }],
    ['time', 'format', { time: '24:00' }],
    ['time', 'format', { time: '9:00' }],
    ['time', 'required', { time: undefined }],
    ['time_zone', 'format', { time_zone: 'Brazil/Nowhere' }],
    ['time_zone', 'format', { time_zone: '-03:00' }],
    ['time_zone', 'format', { time_zone: 'CST' }],
    ['date', 'format', { date: '2026-02-30' }],
    ['date', 'range', { date: '0000-01-01' }],
    ['contact_id', 'required', { contact_id: null }],
    ['phone', 'not_applicable', { phone: '+5511987654321' }],
    ['phone', 'not_applicable', { phone: '11 98765-4321' }],
    ['phone', 'format', { target: 'phone', contact_id: null, phone: '11 98765-4321' }],
    ['segment_id', 'required', { target: 'segment', contact_id: null }],
    ['contact_id', 'not_applicable', { target: 'birthday', repeat: 'yearly' }],
    ['repeat', 'enum', { target: 'birthday', contact_id: null }],
    [
      'date',
      'not_applicable',
      { target: 'birthday', contact_id: null, repeat: 'yearly', date: '2026-12-01' },
    ],
    ['date', 'required', { repeat: 'once' }],
    ['date', 'required', { repeat: 'yearly' }],
    ['date', 'not_applicable', { repeat: 'weekdays', date: '2026-12-01' }],
    ['weekday', 'required', { repeat: 'weekly' }],
    ['weekday', 'not_applicable', { weekday: 1 }],
    ['weekday', 'max', { repeat: 'weekly', weekday: 8 }],
    ['month_day', 'required', { repeat: 'monthly' }],
    ['month_day', 'min', { repeat: 'monthly', month_day: 0 }],
    ['month_day', 'not_applicable', { repeat: 'weekly', weekday: 1, month_day: 1 }],
    ['ends_on', 'not_applicable', { repeat: 'once', date: '2026-12-01', ends_on: '2026-12-02' }],
    ['time', 'past', { repeat: 'once', date: '2026-11-20' }],
    ['date', 'past', { repeat: 'once', date: '2026-11-19', time: '18:00' }],
    ['ends_on', 'no_run', { ends_on: '2026-11-20' }],
    [
      'ends_on',
      'no_run',
      { target: 'birthday', contact_id: null, repeat: 'yearly', ends_on: '2026-11-20' },
    ],
    ['contact', 'unknown_field', { contact: 'con_1' }],
  ])('refuses a wrong %s by the rule %s: %j', async (path, rule, changes) => {
    const reply = await create(changes);

    expect(reply.status).toBe(422);
    expect(reply.body.error).toMatchObject({ code: 'validation', details: [{ path, rule }] });
    expect((await desk.call('GET', '/reminders')).body.data).toEqual([]);
  });

  it.each([
    ['unknown_contact', { contact_id: newId('con') }],
    ['unknown_number', { number_id: newId('num') }],
    ['unknown_group', { target: 'group', contact_id: null, group_id: newId('grp') }],
    ['unknown_segment', { target: 'segment', contact_id: null, segment_id: newId('seg') }],
  ])('refuses what it does not know: %s', async (code, changes) => {
    const reply = await create(changes);

    expect([reply.status, reply.body.error.code]).toEqual([422, code]);
  });

  it('goes to a group by the number that is in it', async () => {
    const { id: other } = await aNumber(desk.ctx);
    const to = (group_id: string) => create({ target: 'group', contact_id: null, group_id });

    const own = await to(await desk.group());
    const others = await to(await desk.group({ numberId: other }));
    const left = await to(await desk.group({ left: true }));

    expect(own.status).toBe(201);
    expect(others.body.error.details).toMatchObject([{ path: 'group_id', rule: 'other_number' }]);
    expect(left.body.error.details).toMatchObject([{ path: 'group_id', rule: 'left_group' }]);
  });
});

describe('a transactional reminder', () => {
  it('is made by a person, not by a key', async () => {
    const person = await aMember(desk.ctx);

    const byKey = await create({ transactional: true });
    const byPerson = await create({ transactional: true }, person.token);

    expect([byKey.status, byKey.body.error.code]).toEqual([403, 'oauth_required']);
    expect(byPerson.body).toMatchObject({ transactional: true });
    const words = await desk.call('PATCH', `/reminders/${byPerson.body.id}`, { text: 'Oferta!' });
    expect([words.status, words.body.error.code]).toEqual([403, 'oauth_required']);
  });
});

describe('the plan’s active reminders', () => {
  it('are never more than it allows, also when many ask at once; one that ends makes room', async () => {
    desk = await aDesk(door, 'essencial');
    await desk.rows(
      `insert into reminders (organization_id, id, title, text, target, phone, number_id, repeat, time, time_zone, created_by, created_at, updated_at)
       select $1, 'rem_' || n, 'Cheio', 'Oi', 'phone', '+5511987654321', $2, 'daily', '09:00', 'UTC', '{}', now(), now()
       from generate_series(1, 47) n`,
      [desk.ctx.organizationId, desk.numberId],
    );

    const replies = await Promise.all(Array.from({ length: 8 }, () => create()));

    expect(replies.filter(({ status }) => status === 201)).toHaveLength(3);
    expect(replies.find(({ status }) => status === 409)?.body.error).toMatchObject({
      code: 'quota',
      details: { limit: 50, used: 50, plan: 'essencial' },
    });
    const made = replies.find(({ status }) => status === 201)?.body.id;
    await desk.call('DELETE', `/reminders/${made}`);
    expect((await create()).status).toBe(201);
  });
});

it('a text of before the rules for texts is judged again only when it says something else, or to others', async () => {
  const id = await desk.created();
  await desk.rows(`update reminders set text = 'Oi {name}}' where id = '${id}'`);
  const patch = (body: object) => desk.call('PATCH', `/reminders/${id}`, body);

  const same = await patch({ time: '12:30', text: 'Oi {name}}' });
  const others = await patch({ target: 'group', group_id: newId('grp') });
  const another = await patch({ text: 'Olá {name}}' });

  expect(same.body).toMatchObject({ time: '12:30', text: 'Oi {name}}' });
  const wrong = { details: [{ path: 'text', rule: 'variable_form' }] };
  expect([others.body.error, another.body.error]).toMatchObject([wrong, wrong]);
});
