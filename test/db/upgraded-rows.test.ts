import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Context } from '../../src/context.ts';
import { openConversation } from '../../src/conversations/sending/outgoing.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { transact } from '../../src/db/transact.ts';
import { newReminderBody } from '../../src/reminders/schema.ts';
import { createReminder } from '../../src/reminders/service.ts';
import { type OwnDatabase, openOwnDatabase } from '../support/database.ts';
import { aCampaign } from '../support/factories/campaigns.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { upgraded } from './support/upgrading.ts';

let database: OwnDatabase;
let ctx: Context;
let number_id: string;
beforeAll(async () => {
  database = await openOwnDatabase();
  ({ ctx } = await aWorkspace(database));
  ({ id: number_id } = await aNumber(ctx));
});
afterAll(() => database.close());

const rows = <R>(text: string, params: readonly unknown[] = []): Promise<R[]> =>
  inWorkspace(database, ctx.organizationId, (sql) => sql.rows<R>(text, params));

it('of campaigns cancelled before, those with sends that have no outcome are looked after', async () => {
  const { id: contact_id } = await aContact(ctx);
  const cancelled = async (name: string, recipient: string): Promise<string> => {
    const { id } = await aCampaign(ctx, { name, number_id, contact_ids: [contact_id] });
    await rows(`update campaigns set status = 'cancelled' where id = $1`, [id]);
    await rows(
      `insert into campaign_recipients (organization_id, campaign_id, id, identity_key, phone, text, status)
       values ($1, $2, $3, '', '', '', $4)`,
      [ctx.organizationId, id, `rcp_${'0'.repeat(26)}`, recipient],
    );
    return id;
  };
  const lost = await cancelled('Perdida', 'sending');
  await cancelled('Acabada', 'sent');

  await upgraded(
    database.url,
    '20261123_0069_unsettled_campaigns',
    `alter table campaigns drop column unsettled;
     create index campaigns_open on campaigns (status) where status in ('scheduled', 'sending');`,
  );

  expect(await rows('select id from campaigns where unsettled')).toEqual([{ id: lost }]);
});

it('runs of reminders to a phone forget that of a contact deleted before, and no other', async () => {
  const phone = '+5511987650001';
  const body = { title: 'Retorno', text: 'Oi!', repeat: 'daily', time: '09:00', number_id };
  const { id } = await createReminder(
    ctx,
    newReminderBody.parse({ ...body, target: 'phone', phone }),
  );
  for (const [day, contactId] of [
    [1, null],
    [2, 'con_known'],
  ]) {
    const at = new Date(Date.UTC(2026, 0, Number(day)));
    await rows(
      `insert into reminder_runs (organization_id, id, reminder_id, scheduled_for, status) values ($1, $2, $3, $4, 'sent')`,
      [ctx.organizationId, `rrn_${day}`, id, at],
    );
    await rows(
      `insert into reminder_recipients (organization_id, reminder_id, scheduled_for, recipient_key, contact_id, status)
       values ($1, $2, $3, $4, $5, 'sent')`,
      [ctx.organizationId, id, at, phone, contactId],
    );
  }

  await upgraded(database.url, '20261123_0066_forgotten_phones');

  const keys = 'select recipient_key as key from reminder_recipients order by scheduled_for';
  expect(await rows(keys)).toEqual([{ key: id }, { key: phone }]);
});

it('conversations that may be answered name who wrote, by the phone or by WhatsApp’s id', async () => {
  const phone = '+5511987650003';
  const asked = (await aContact(ctx, { phone })).id;
  const hidden = (await aContact(ctx, { name: 'Hidden', phone: '' })).id;
  await rows(
    `insert into contact_identities (organization_id, contact_id, type, value, created_at)
     select $1, c.id, 'wa_user', 'BR.' || c.name, now() from contacts c where c.id = any($2)`,
    [ctx.organizationId, [asked, hidden]],
  );
  const talks = new Map<string, string>();
  for (const [who, contactId] of Object.entries({ asked, hidden, over: (await aContact(ctx)).id }))
    talks.set(
      await transact(ctx, (tx) => openConversation(tx, { numberId: number_id, contactId })),
      who,
    );
  await rows(
    `update conversations set window_expires_at = now() + case when contact_id = any($1) then interval '1 hour' else '-1 hour' end`,
    [[asked, hidden]],
  );

  await upgraded(
    database.url,
    '20261123_0073_where_to',
    'alter table outgoing_messages drop column to_phone;',
  );

  const found = await rows<{ id: string; wrote: string | null }>(
    'select id, wrote_from as wrote from conversations',
  );
  expect(Object.fromEntries(found.map(({ id, wrote }) => [talks.get(id), wrote]))).toEqual({
    asked: phone,
    hidden: 'BR.Hidden',
    over: null,
  });
});
