import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { MemberActor } from '../../src/access/actor.ts';
import { audit } from '../../src/audit/service.ts';
import { distinctTags } from '../../src/contacts/rules.ts';
import type { Context } from '../../src/context.ts';
import { queueMessage } from '../../src/conversations/sending/outgoing.ts';
import { transact } from '../../src/db/transact.ts';
import { newReminderBody } from '../../src/reminders/schema.ts';
import { createReminder } from '../../src/reminders/service.ts';
import { type OwnDatabase, openOwnDatabase } from '../support/database.ts';
import { aCampaign } from '../support/factories/campaigns.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation } from '../support/factories/conversations.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { memberActor } from '../support/members.ts';
import { rowsOf } from '../support/rows-of.ts';
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

const rows = <R>(text: string, params: readonly unknown[] = []) => rowsOf<R>(ctx, text, params);

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

  await upgraded(database.url, '20261127_0086_cancelled_before');

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

it('numbers held before stay held when WhatsApp gives them back', async () => {
  const { id: free } = await aNumber(ctx);
  await rows(
    `update numbers set status = 'disconnected', status_reason = case id when $1 then 'held' else 'token' end where id = any($2)`,
    [number_id, [number_id, free]],
  );

  await upgraded(
    database.url,
    '20261123_0078_held_numbers',
    'alter table numbers drop column held_at;',
  );

  const held = 'select id from numbers where held_at = status_changed_at';
  expect(await rows(held)).toEqual([{ id: number_id }]);
});

it('of messages queued before, those that an app wrote for a person are not the person\u2019s own', async () => {
  const { id: contactId } = await aContact(ctx);
  const conversationId = await aConversation(ctx, { numberId: number_id, contactId });
  const queued = (actor: MemberActor): Promise<string> =>
    transact({ ...ctx, actor }, async (tx) => {
      const id = await queueMessage(tx, { conversationId, source: 'member', text: 'Oi' });
      await audit(tx, { action: 'message.queued', target: { type: 'message', id, name: '' } });
      return id;
    });
  await queued(memberActor({ console: true }));
  const one = await queued(memberActor());
  const two = await queued(memberActor());
  await queued(memberActor({ console: true }));

  await upgraded(
    database.url,
    '20261127_0092_by_apps_before',
    'alter table outgoing_messages drop column by_app, add column by_app boolean not null default false;',
  );

  const byApp = 'select message_id as id from outgoing_messages where by_app order by 1';
  expect(await rows(byApp)).toEqual([{ id: one }, { id: two }]);
});

it('numbers that were down before are so since their last change', async () => {
  const { id: sending } = await aNumber(ctx);
  await rows(`update numbers set status = 'awaiting_pairing' where id = $1`, [number_id]);

  await upgraded(
    database.url,
    '20261126_0083_numbers_down_since',
    'alter table numbers drop column down_since;',
  );

  const down = 'select id, down_since = status_changed_at as down from numbers where id = any($1)';
  expect(await rows(down, [[number_id, sending]])).toEqual(
    expect.arrayContaining([
      { id: number_id, down: true },
      { id: sending, down: null },
    ]),
  );
});

it('files in conversations of people deleted before are erased, and no others', async () => {
  const contactId = (await aContact(ctx)).id;
  const kept = await aConversation(ctx, { numberId: number_id, contactId });
  await rows(
    `insert into media (organization_id, id, name, type, kind, size, sha256, conversation_id, created_at)
     select $1, id, '', 'image/jpeg', 'image', 0, '', place, now()
     from (values ('med_ours', null), ('med_here', $2), ('med_gone', 'cnv_gone')) files (id, place)`,
    [ctx.organizationId, kept],
  );

  await upgraded(database.url, '20261128_0096_files_of_deleted_people');

  const left = await rows('select id from media order by id');
  expect(left).toEqual([{ id: 'med_here' }, { id: 'med_ours' }]);
});

it('reminders to people deleted before say nothing any more, and others what they said', async () => {
  const said = { title: 'Ligar para Ana', text: 'Oi Ana!', repeat: 'daily', time: '09:00' };
  const remind = async (whom: object): Promise<string> =>
    (await createReminder(ctx, newReminderBody.parse({ ...said, ...whom, number_id }))).id;
  const gone = await aContact(ctx);
  const stays = await aContact(ctx);
  const lost = [
    await remind({ target: 'contact', contact_id: gone.id }),
    await remind({ target: 'phone', phone: '+5511987650004' }),
  ];
  const kept = [
    await remind({ target: 'contact', contact_id: stays.id }),
    await remind({ target: 'phone', phone: '+5511987650005' }),
  ];
  await rows('delete from contacts where id = $1', [gone.id]);
  await rows('update reminders set phone = null where id = $1', [lost[1]]);

  await upgraded(database.url, '20261130_0156_reminders_of_deleted_people');

  const { title, text } = said;
  const saying = 'select distinct title, text from reminders where id = any($1)';
  expect(await rows(saying, [lost])).toEqual([{ title: '…', text: '' }]);
  expect(await rows(saying, [kept])).toEqual([{ title, text }]);
});

it('who only ever called has not written, and files that are here are not lost', async () => {
  const talks: string[] = [];
  for (const wrote of [false, true]) {
    const contactId = (await aContact(ctx)).id;
    talks.push(await aConversation(ctx, { numberId: number_id, contactId }));
    if (wrote) await rows('update contacts set last_inbound_at = now() where id = $1', [contactId]);
  }
  await rows('update conversations set window_expires_at = now() where id = any($1)', [talks]);
  await rows(
    `insert into media (organization_id, id, name, type, kind, size, sha256, state, created_at)
     select $1, id, '', 'image/jpeg', 'image', 0, hash, state, now()
     from (values ('med_lost1', 'lost', ''::bytea), ('med_lost2', 'lost', 'x'), ('med_lost3', 'coming', '')) files (id, state, hash)`,
    [ctx.organizationId],
  );

  await upgraded(database.url, '20261129_0143_untrue_before');

  const called =
    'select window_expires_at = unwritten_until as called from conversations where id = any($1) order by id';
  expect(await rows(called, [talks])).toEqual([{ called: true }, { called: null }]);
  const files = "select state from media where id like 'med_lost%' order by id";
  expect(await rows(files)).toEqual([{ state: 'lost' }, { state: 'kept' }, { state: 'coming' }]);
});

it('of tags that look the same, a contact keeps the first, and is found by it', async () => {
  const { id } = await aContact(ctx);
  const { id: other } = await aContact(ctx, { tags: ['vip', 'Café'] });
  const given = [
    'Novo',
    'Cafe\u0301',
    '\u200bVIP',
    'café',
    'Feira\r\nde maio',
    ' vip',
    '\u{1f468}\u200d\u{1f373}\u2060',
  ];
  await rows('update contacts set tags = $2 where id = $1', [id, given]);

  await upgraded(database.url, '20261129_0141_tags_that_look_the_same');

  const tags = ['Novo', 'Café', 'VIP', 'Feira de maio', '\u{1f468}\u200d\u{1f373}'];
  expect(
    await rows('select tags from contacts where id = any($1) order by id', [[id, other]]),
  ).toEqual([{ tags }, { tags: ['vip', 'Café'] }]);
  expect(distinctTags(given)).toEqual(tags);
  const found = `select contact_id as id from contact_tags where tag_key = 'café' order by 1`;
  expect(await rows(found)).toEqual([{ id }, { id: other }]);
});
