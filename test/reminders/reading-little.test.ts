import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Context } from '../../src/context.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { transact } from '../../src/db/transact.ts';
import { listRuns } from '../../src/reminders/reading.ts';
import { advanceReminder } from '../../src/reminders/running/advance.ts';
import { takeStep } from '../../src/reminders/running/step.ts';
import { createReminder, newReminderOf } from '../../src/reminders/service.ts';
import { analyze } from '../support/analyzing.ts';
import { type OwnDatabase, openOwnDatabase } from '../support/database.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation, someMessages } from '../support/factories/conversations.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { rowsRead } from '../support/rows-read.ts';

const RECIPIENTS = 'reminder_recipients';
const PEOPLE = 8_200;

let database: OwnDatabase;
let ctx: Context;
let reminderId: string;

const RUN = `
insert into reminder_runs (organization_id, id, reminder_id, scheduled_for, day, started_at, frozen_at, queued_at, status, content)
select organization_id, 'rrn_1', id, $2, '2026-11-21', $2, $2, $2, 'running', '{}' from reminders where id = $1`;

/** In the order in which they are queued; those under way share a message. */
const PEOPLE_OF_IT = `
insert into reminder_recipients (organization_id, reminder_id, scheduled_for, recipient_key, status)
select organization_id, reminder_id, scheduled_for, 'con_' || lpad(n::text, 5, '0'),
  case when n <= 4000 then 'sent' when n <= 4200 then 'queued' else 'pending' end
from reminder_runs, generate_series(1, ${PEOPLE}) n`;

const MESSAGE = `
update reminder_recipients set message_id = $1 where status = 'queued'`;

beforeAll(async () => {
  database = await openOwnDatabase({ poolSize: 3 });
  ({ ctx } = await aWorkspace(database));
  const [number, contact] = await Promise.all([aNumber(ctx), aContact(ctx)]);
  const whom = { target: 'contact', contact_id: contact.id, number_id: number.id };
  const body = { title: 'Aviso', text: 'Oi!', ...whom, repeat: 'daily', time: '09:00' };
  ({ id: reminderId } = await createReminder(ctx, newReminderOf(body)));
  const rows = (text: string, params: readonly unknown[] = []) =>
    inWorkspace(database, ctx.organizationId, (sql) => sql.rows(text, params));
  const pair = { numberId: number.id, contactId: contact.id };
  const [messageId] = await someMessages(ctx, {
    ...pair,
    conversationId: await aConversation(ctx, pair),
  });
  await rows(RUN, [reminderId, new Date(ctx.now.getTime() - 500)]);
  await rows(PEOPLE_OF_IT);
  await rows(MESSAGE, [messageId]);
  await analyze(database.url, RECIPIENTS);
});
afterAll(() => database.close());

it('a look at a run reads those under way, and neither who is settled nor all who are left', async () => {
  const { step, read } = await transact(ctx, async (tx) => {
    const before = await rowsRead(tx.sql, [RECIPIENTS]);
    const progress = await takeStep(tx, reminderId);
    return { step: progress, read: (await rowsRead(tx.sql, [RECIPIENTS])) - before };
  });

  expect(step).toMatchObject({ stage: 'running' });
  expect(read).toBeLessThan(1_000);
});

it('the worker and whoever reads the run are told all of them', async () => {
  const { organizationId } = ctx;
  const deps = { contextFor: () => ctx, mayGoOn: () => true, behindMs: () => 0 };

  const progress = await advanceReminder(deps, { organizationId, reminderId });
  const { data } = await transact(ctx, (tx) =>
    listRuns(tx, reminderId, { limit: 10, after: null }),
  );

  expect(progress).toMatchObject({ stage: 'running', left: 4_000 });
  expect(data).toMatchObject([{ status: 'running', recipients: PEOPLE, sent: 4_000 }]);
});
