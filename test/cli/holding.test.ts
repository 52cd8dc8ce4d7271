import { describe, expect, it } from '@jest/globals';
import { queueMessage } from '../../src/conversations/sending/outgoing.ts';
import { transact } from '../../src/db/transact.ts';
import { newId } from '../../src/ids.ts';
import { createWaker } from '../../src/relay/processes/waker.ts';
import { createReminder, newReminderOf } from '../../src/reminders/service.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation } from '../support/factories/conversations.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import { openShell, type Said } from '../support/shell.ts';

const shell = opened(openShell);

/** As a machine whose clock is 70 minutes behind sees the time. */
const BEHIND = `const Real = Date;
  globalThis.Date = class extends Real {
    constructor(...given) { given.length ? super(...given) : super(Date.now()); }
    static now() { return Real.now() - 70 * 60_000; }
  }`;

const ops = (...args: string[]): Promise<Said> => shell.wmsAnywhere('ops', ...args);

const statusOf = async (id: string): Promise<string> => {
  const [row] = await rowsOf<{ status: string; status_reason: string | null }>(
    shell.ctx,
    'select status, status_reason from numbers where id = $1',
    [id],
  );
  return `${row?.status} ${row?.status_reason}`;
};

const heldOf = (listed: readonly { id: string; held: boolean }[]): string[] =>
  listed.filter(({ held }) => held).map(({ id }) => id);

const aReminder = async (numberId: string): Promise<string> => {
  const reminder = await createReminder(
    shell.ctx,
    newReminderOf({
      title: 'Retorno',
      text: 'Oi!',
      target: 'phone',
      phone: '+5511987654321',
      number_id: numberId,
      repeat: 'daily',
      time: '09:00',
    }),
  );
  return reminder.id;
};

interface Ran {
  readonly numberId: string;
  readonly daysAgo: number;
  readonly status: 'running' | 'sent';
}

const aReminderRun = (reminderId: string, { numberId, daysAgo, status }: Ran): Promise<unknown> =>
  rowsOf(
    shell.ctx,
    `insert into reminder_runs (organization_id, id, reminder_id, scheduled_for, day, started_at, status, content)
     select $1, $2, $3, at, at::date, at, $4, $5 from (select now() - $6 * interval '1 day' as at) x`,
    [
      ...[shell.ctx.organizationId, newId('rrn'), reminderId, status],
      ...[JSON.stringify({ number_id: numberId }), daysAgo],
    ],
  );

describe('wms ops hold and release', () => {
  it('take all numbers that send out of use and back, and leave the others as they are', async () => {
    const one = await aNumber(shell.ctx);
    const two = await aNumber(shell.ctx);
    const ill = await aNumber(shell.ctx);
    await rowsOf(
      shell.ctx,
      `update numbers set status = 'disconnected', status_reason = 'logged_out' where id = $1`,
      [ill.id],
    );

    const held = await ops('hold');
    const during = await Promise.all([one, two, ill].map(({ id }) => statusOf(id)));
    const early = await ops('release');
    const released = await ops('release', '--at-once', '--json');
    const after = await Promise.all([one, two, ill].map(({ id }) => statusOf(id)));

    expect(held.out).toContain(`${one.id} of ${shell.ctx.organizationId} is held`);
    expect(held.out).toContain('2 numbers were held.');
    expect(during).toEqual(['disconnected held', 'disconnected held', 'disconnected logged_out']);
    expect(early.code).toBe(1);
    expect(early.out).toContain(`${two.id} of ${shell.ctx.organizationId} stays held: held for 0`);
    expect(released.code).toBe(0);
    expect(released.json.released).toHaveLength(2);
    expect(after).toEqual(['connected null', 'connected null', 'disconnected logged_out']);
  });

  it('have running processes stop campaigns before they say so', async () => {
    const waker = createWaker({ url: shell.databaseUrl });
    const heard: string[] = [];
    waker.onWake((news) => void heard.push(news));
    await waker.wake('campaigns');
    await aNumber(shell.ctx);
    heard.length = 0;

    await ops('hold');
    const told = [...heard];
    await ops('release', '--at-once');
    await waker.close();

    expect(told).toEqual(['campaigns']);
  });

  it('hold by the clock of the database, whatever that of the machine says', async () => {
    const { id } = await aNumber(shell.ctx);
    await shell.wmsAlone('ops', 'release', '--at-once');
    const env = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(BEHIND)}` };
    const behind = await openShell({ ...env, DATABASE_URL: shell.databaseUrl });

    const held = await behind.wmsAlone('ops', 'hold');
    const early = await ops('release');
    await ops('release', '--at-once');
    await behind.close();

    expect(held.out).toContain(`${id} of ${shell.ctx.organizationId} is held`);
    expect(early.out).toContain(`${id} of ${shell.ctx.organizationId} stays held: held for 0`);
  });

  it('hold anew what a backup had held: its hour begins when it is restored', async () => {
    const { id: numberId } = await aNumber(shell.ctx);
    const place = { workspace: shell.ctx.organizationId, number: numberId };
    await ops('hold');
    await rowsOf(shell.ctx, "update numbers set held_at = held_at - interval '63 minutes'");

    const again = await ops('hold', '--json');
    const said = await ops('hold');
    const early = await ops('release', '--json');
    await ops('release', '--at-once');

    expect(again.json.held).toEqual([]);
    expect(again.json.held_anew).toContainEqual(place);
    expect(said.out).toContain('held already, and their hour begins anew.');
    expect(early.json.released).toEqual([]);
    expect(early.json.refused).toContainEqual({
      ...place,
      because: expect.stringMatching(/^held for 0/),
    });
  });

  it('refuse a workspace that is empty, as a variable that is not set: all of them would be meant', async () => {
    const { id } = await aNumber(shell.ctx);

    const held = await ops('hold', '--workspace', '');
    const during = await statusOf(id);
    await ops('hold');
    const released = await ops('release', '--at-once', '--workspace', '');
    const after = await statusOf(id);
    await ops('release', '--at-once');

    expect([held.code, released.code]).toEqual([1, 1]);
    expect([held.err, released.err].join()).toMatch(/(Say which workspace.*){2}/s);
    expect([during, after]).toEqual(['connected null', 'disconnected held']);
  });

  it('are told by the list of numbers, and by connect, which ends a hold', async () => {
    const well = await aNumber(shell.ctx);
    const ill = await aNumber(shell.ctx);
    await rowsOf(
      shell.ctx,
      `update numbers set status = 'error', status_reason = 'whatsapp_190' where id = $1`,
      [ill.id],
    );
    await ops('hold');

    const listed = await shell.wmsInWords('number', 'list');
    const { json } = await shell.wms('number', 'list');
    const connected = await shell.wmsInWords('number', 'connect', well.id);
    const again = await shell.wms('number', 'list');
    await ops('release', '--at-once');

    expect(listed.out).toMatch(new RegExp(`^${well.id} .* disconnected \\(held\\) `, 'm'));
    expect(listed.out).toMatch(new RegExp(`^${ill.id} .* error \\(whatsapp_190, held\\) `, 'm'));
    expect(heldOf(json)).toEqual(expect.arrayContaining([well.id, ill.id]));
    expect(connected.out).toContain('its hold has ended');
    expect(heldOf(again.json)).not.toContain(well.id);
  });

  it('waits neither for what came after the hold, nor for what another number has to do', async () => {
    const { organizationId } = shell.ctx;
    const free = await aNumber(shell.ctx);
    const busy = await aNumber(shell.ctx);
    const { id: contactId } = await aContact(shell.ctx);
    const reminders: string[] = [];
    for (const { id: numberId } of [free, busy]) {
      reminders.push(await aReminder(numberId));
      const conversationId = await aConversation(shell.ctx, { numberId, contactId });
      await transact(shell.ctx, (tx) =>
        queueMessage(tx, { conversationId, source: 'api', text: 'Oi' }),
      );
    }
    await ops('hold');
    await rowsOf(
      shell.ctx,
      "update numbers set held_at = now() - interval '60 minutes' where id = any($1)",
      [[free.id, busy.id]],
    );
    await rowsOf(
      shell.ctx,
      "update outgoing_messages set created_at = now() - interval '2 hours' where number_id = $1",
      [busy.id],
    );
    await aReminderRun(reminders[0] ?? '', { numberId: free.id, daysAgo: 0, status: 'running' });
    await aReminderRun(reminders[0] ?? '', { numberId: free.id, daysAgo: 1, status: 'sent' });
    await aReminderRun(reminders[1] ?? '', { numberId: busy.id, daysAgo: 1, status: 'running' });

    const { json } = await ops('release', '--json');
    await rowsOf(shell.ctx, 'delete from reminder_runs');
    await ops('release', '--at-once');

    expect(json.released).toEqual([{ workspace: organizationId, number: free.id }]);
    expect(json.refused).toContainEqual({
      workspace: organizationId,
      number: busy.id,
      because: expect.stringMatching(/^1 message /),
    });
  });

  it('leaves a number held for which a run of a reminder from before has not given up yet', async () => {
    const { id: numberId } = await aNumber(shell.ctx);
    const { organizationId } = shell.ctx;
    const reminderId = await aReminder(numberId);
    await ops('hold');
    await rowsOf(
      shell.ctx,
      "update numbers set held_at = held_at - interval '63 minutes' where id = $1",
      [numberId],
    );
    await aReminderRun(reminderId, { numberId, daysAgo: 1, status: 'running' });

    const early = await ops('release');
    await rowsOf(shell.ctx, "update reminder_runs set status = 'failed'");
    const released = await ops('release', '--json');

    expect(early.out).toContain(`${numberId} of ${organizationId} stays held: 1 run of a reminder`);
    expect(released.json.released).toEqual([{ workspace: organizationId, number: numberId }]);
  });
});
