import { beforeEach, describe, expect, it } from '@jest/globals';
import { transact } from '../../src/db/transact.ts';
import { newId } from '../../src/ids.ts';
import { cancelRemindersOf } from '../../src/reminders/cancelling.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aReminderRun } from '../support/factories/reminders.ts';
import { aSegment } from '../support/factories/segments.ts';
import type { Reply } from '../support/http.ts';
import { aMember } from '../support/members.ts';
import { opened } from '../support/opened.ts';
import { aDesk, type Desk, openReminderDoor } from './support/desk.ts';

let desk: Desk;

const door = opened(openReminderDoor);
beforeEach(async () => {
  desk = await aDesk(door);
});

const idsOf = ({ body }: Reply): string[] => body.data.map(({ id }: { id: string }) => id);
const list = (query = '', key?: string) => desk.call('GET', `/reminders${query}`, undefined, key);

describe('the list of reminders', () => {
  it('is newest first, page by page, and filtered by status, target, number, contact and segment', async () => {
    const other = await aNumber(desk.ctx);
    const byPhone = { target: 'phone', contact_id: null, phone: '+5511987654321' };
    const one = await desk.created();
    const two = await desk.created({ ...byPhone, number_id: other.id });
    const three = await desk.created();
    const { id: segment_id } = await aSegment(desk.ctx);
    const four = await desk.created({ target: 'segment', contact_id: null, segment_id });
    await desk.call('DELETE', `/reminders/${three}`);

    const first = await list('?limit=2');
    const second = await list(`?limit=2&cursor=${first.body.next_cursor}`);

    expect([...idsOf(first), ...idsOf(second)]).toEqual([four, three, two, one]);
    expect(idsOf(await list('?status=active'))).toEqual([four, two, one]);
    expect(idsOf(await list('?status=cancelled'))).toEqual([three]);
    expect(idsOf(await list('?target=phone'))).toEqual([two]);
    expect(idsOf(await list(`?number_id=${other.id}`))).toEqual([two]);
    expect(idsOf(await list(`?contact_id=${desk.contactId}&status=active`))).toEqual([one]);
    expect(idsOf(await list(`?segment_id=${segment_id}`))).toEqual([four]);
  });
});

describe('the runs of a reminder', () => {
  it('are listed newest first, page by page, in the words of the record', async () => {
    const id = await desk.created();
    const runs = [newId('rrn'), newId('rrn')];
    await desk.rows(
      `insert into reminder_runs (organization_id, id, reminder_id, scheduled_for, started_at, status, recipients, sent, reasons, unconfirmed)
       values ($1, $2, $4, '2026-11-18T12:00Z', '2026-11-18T12:00:01Z', 'partial', 3, 2, '{"unconfirmed": 1}', 1),
         ($1, $3, $4, '2026-11-19T12:00Z', null, 'missed', 3, 0, '{}', 0)`,
      [desk.ctx.organizationId, ...runs, id],
    );

    const page = (query: string) => desk.call('GET', `/reminders/${id}/runs?limit=1${query}`);
    const first = await page('');
    const second = await page(`&cursor=${first.body.next_cursor}`);

    expect([idsOf(first), idsOf(second)]).toEqual([[runs[1]], [runs[0]]]);
    expect(second.body.next_cursor).toBeNull();
    expect(second.body.data[0]).toEqual({
      id: runs[0],
      scheduled_for: '2026-11-18T12:00:00.000Z',
      started_at: '2026-11-18T12:00:01.000Z',
      status: 'partial',
      recipients: 3,
      sent: 2,
      failed: 0,
      reasons: { unconfirmed: 1 },
      unconfirmed: 1,
      skipped: 0,
      cancelled: 0,
    });
  });
});

describe('whom a run was for', () => {
  const recipients = (reminderId: string, runId: string, query = ''): Promise<Reply> =>
    desk.call('GET', `/reminders/${reminderId}/runs/${runId}/recipients${query}`);

  it('is told with what became of each, and filtered by it', async () => {
    const { id: segment_id } = await aSegment(desk.ctx);
    const reminder = await desk.created({ target: 'segment', contact_id: null, segment_id });
    const ana = newId('con');
    const bia = newId('con');
    const gone = newId('con');
    const sent = { contact_id: ana, status: 'sent', reason: null, message_id: newId('msg') };
    const out = { contact_id: bia, status: 'skipped', reason: 'opted_out', message_id: null };
    const deleted = {
      contact_id: null,
      status: 'skipped',
      reason: 'no_recipient',
      message_id: null,
    };
    const run = await aReminderRun(desk.ctx, reminder, [sent, out, { ...deleted, key: gone }]);
    const shown = [deleted, out, sent].map((one) => ({ ...one, group_id: null }));

    const first = await recipients(reminder, run, '?limit=2');
    const second = await recipients(reminder, run, `?limit=2&cursor=${first.body.next_cursor}`);

    expect([...first.body.data, ...second.body.data]).toEqual(shown);
    expect((await recipients(reminder, run, '?status=sent')).body.data).toEqual([shown[2]]);
    expect((await recipients(reminder, run, '?status=failed')).body.data).toEqual([]);
  });

  it('is a group, or nobody for a phone that is no contact yet', async () => {
    const group_id = await desk.group();
    const toGroup = await desk.created({ target: 'group', contact_id: null, group_id });
    const phone = '+5511987654321';
    const toPhone = await desk.created({ target: 'phone', contact_id: null, phone });
    const nobody = { contact_id: null, status: 'pending', reason: null, message_id: null };
    const groupRun = await aReminderRun(desk.ctx, toGroup, [{ ...nobody, key: group_id }]);
    const phoneRun = await aReminderRun(desk.ctx, toPhone, [{ ...nobody, key: toPhone }]);

    const [group] = (await recipients(toGroup, groupRun)).body.data;
    const [unknown] = (await recipients(toPhone, phoneRun)).body.data;

    expect(group).toEqual({ ...nobody, group_id });
    expect(unknown).toEqual({ ...nobody, group_id: null });
  });

  it('is not told under another reminder', async () => {
    const run = await aReminderRun(desk.ctx, await desk.created(), []);

    expect((await recipients(await desk.created(), run)).status).toBe(404);
  });
});

describe('a member who sees the numbers of their teams', () => {
  it('finds the reminders of these numbers and no others', async () => {
    const person = await aMember(desk.ctx, { visibility: 'teams', teams: ['Vendas'] });
    const { id: own } = await aNumber(desk.ctx);
    await desk.rows('insert into number_teams values ($1, $2, $3)', [
      desk.ctx.organizationId,
      own,
      person.teamIds[0],
    ]);
    const hidden = await desk.created();
    const seen = await desk.created({ number_id: own });
    const ask = (method: string, path: string, body?: object) =>
      desk.call(method, path, body, person.token);

    const run = await aReminderRun(desk.ctx, hidden, []);
    const answers = [
      await ask('GET', `/reminders/${hidden}`),
      await ask('GET', `/reminders/${hidden}/runs`),
      await ask('GET', `/reminders/${hidden}/runs/${run}/recipients`),
      await ask('PATCH', `/reminders/${hidden}`, { title: 'Meu' }),
      await ask('DELETE', `/reminders/${hidden}`),
    ];
    const created = await ask('POST', '/reminders', desk.body());
    const moved = await ask('PATCH', `/reminders/${seen}`, { number_id: desk.numberId });

    expect(idsOf(await list('', person.token))).toEqual([seen]);
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
    expect([created, moved].map(({ body }) => body.error.code)).toEqual([
      'unknown_number',
      'unknown_number',
    ]);
    expect((await ask('GET', `/reminders/${seen}`)).status).toBe(200);
  });

  it('makes none to somebody whose conversation is hidden, by the record or by the phone', async () => {
    const person = await aMember(desk.ctx, { visibility: 'teams', teams: ['Vendas'] });
    const colleague = await aMember(desk.ctx);
    const phone = '+5511987650001';
    const { id: contact_id } = await aContact(desk.ctx, { phone });
    await desk.rows('insert into number_teams values ($1, $2, $3)', [
      desk.ctx.organizationId,
      desk.numberId,
      person.teamIds[0],
    ]);
    await desk.rows(
      `insert into conversations (organization_id, id, number_id, contact_id, assigned_member_id, opened_at, created_at)
       values ($1, $2, $3, $4, $5, now(), now())`,
      [desk.ctx.organizationId, newId('cnv'), desk.numberId, contact_id, colleague.id],
    );
    const create = (changes: object) =>
      desk.call('POST', '/reminders', desk.body(changes), person.token);
    const toPhone = { target: 'phone', contact_id: null };

    const hidden = [await create({ contact_id }), await create({ ...toPhone, phone })];
    const nobodys = await create({ ...toPhone, phone: '+5511987650002' });

    expect(hidden.map(({ status }) => status)).toEqual([404, 404]);
    expect(nobodys.status).toBe(201);
  });

  it('finds a reminder to a group as far as the group is visible', async () => {
    const person = await aMember(desk.ctx, { visibility: 'assigned' });
    const group_id = await desk.group();
    const { id: contactId } = await aContact(desk.ctx);
    await desk.rows(
      `insert into conversations (organization_id, id, number_id, contact_id, assigned_member_id, opened_at, created_at)
       values ($1, $2, $3, $4, $5, now(), now())`,
      [desk.ctx.organizationId, newId('cnv'), desk.numberId, contactId, person.id],
    );
    const toGroup = await desk.created({ target: 'group', contact_id: null, group_id });
    const toContact = await desk.created();

    const before = idsOf(await list('', person.token));
    await desk.rows('update conversations set assigned_member_id = $1 where group_id = $2', [
      person.id,
      group_id,
    ]);
    const after = idsOf(await list('', person.token));

    expect(before).toEqual([toContact]);
    expect(after).toEqual([toContact, toGroup]);
  });
});

describe('reminders whose target is no more', () => {
  it('are cancelled by the service, the active ones alone', async () => {
    const active = await desk.created();
    const done = await desk.created();
    const other = await desk.created({ contact_id: (await aContact(desk.ctx)).id });
    await desk.rows("update reminders set status = 'done' where id = $1", [done]);

    await transact(desk.ctx, (tx) => cancelRemindersOf(tx, { contactId: desk.contactId }));

    expect(await desk.entries(active)).toEqual(['reminder.created', 'reminder.cancelled']);
    expect((await desk.call('GET', `/reminders/${active}`)).body).toMatchObject({
      status: 'cancelled',
      cancel_reason: 'target_removed',
      next_run_at: null,
    });
    expect((await desk.call('GET', `/reminders/${done}`)).body.status).toBe('done');
    expect((await desk.call('GET', `/reminders/${other}`)).body.status).toBe('active');
  });
});
