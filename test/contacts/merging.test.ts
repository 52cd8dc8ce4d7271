import { describe, expect, it } from '@jest/globals';
import { findOrCreateByPhone } from '../../src/contacts/identity/identities.ts';
import { phoneKey } from '../../src/contacts/identity/phones.ts';
import { importContacts } from '../../src/contacts/imports/rows.ts';
import { optOut } from '../../src/contacts/opt-outs/opting-out.ts';
import { transact } from '../../src/db/transact.ts';
import { newId } from '../../src/ids.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aMember } from '../support/members.ts';
import { opened } from '../support/opened.ts';
import { openLife } from './support/life.ts';

const life = opened(openLife);

const merge = (id: string, contact_id: string, key?: string) =>
  life.call('POST', `/${id}/merge`, { contact_id }, key);

describe('merging two contacts', () => {
  it('keeps the one of the path, fills its gaps, and joins lists and notes', async () => {
    const stays = await aContact(life.ctx, {
      name: 'Ana',
      phone: '+5511982000001',
      tags: ['VIP'],
      custom: { city: 'Santos' },
      notes: 'Uma',
    });
    const goes = await aContact(life.ctx, {
      name: 'Ana Souza',
      phone: '+5511982000002',
      email: 'ana@example.com',
      tags: ['vip', 'novo'],
      custom: { city: 'Campinas', size: 'M' },
      notes: 'Outra',
      birth_date: '1990-04-12',
    });

    const merged = await merge(stays.id, goes.id);

    expect(merged.status).toBe(200);
    expect(merged.body).toMatchObject({
      id: stays.id,
      name: 'Ana',
      phone: '+5511982000001',
      email: 'ana@example.com',
      tags: ['VIP', 'novo'],
      custom: { city: 'Santos', size: 'M' },
      notes: 'Uma\n\nOutra',
      birth_date: '1990-04-12',
    });
    expect((await life.call('GET', `/${goes.id}`)).status).toBe(404);
    expect((await life.call('GET', '?tag=novo')).body.data).toHaveLength(1);
  });

  it('finds the person under both phones, in every spelling, and gives neither to anybody else', async () => {
    const stays = await aContact(life.ctx, { name: 'Bia', phone: '+5511982000003' });
    const goes = await aContact(life.ctx, { name: 'Bia', phone: '+5511982000004' });
    await merge(stays.id, goes.id);

    const seen = await transact(life.ctx, (tx) =>
      Promise.all(
        ['5511982000004', '551182000004', '551182000003'].map((phone) =>
          findOrCreateByPhone(tx, { phone, name: '', origin: 'direct', createdVia: 'message' }),
        ),
      ),
    );
    const taken = await life.call('POST', '', { phone: '+551182000004' });
    const other = await aContact(life.ctx);
    const moved = await life.call('PATCH', `/${other.id}`, { phone: '+5511982000004' });
    const imported = await importContacts(life.ctx, [
      { name: 'Beatriz', phone: '+5511982000004' },
      { name: 'Beatriz Lima', phone: '+5511982000003' },
    ]);

    expect(seen.map(({ contact }) => contact.id)).toEqual([stays.id, stays.id, stays.id]);
    for (const refused of [taken, moved]) {
      expect([refused.status, refused.body.error.details]).toEqual([409, { contact_id: stays.id }]);
    }
    expect(imported.map(({ outcome, contactId }) => [outcome, contactId])).toEqual([
      ['updated', stays.id],
      ['updated', stays.id],
    ]);
  });

  it('makes one conversation of two on a number, with all their messages, and keeps the others', async () => {
    const stays = await life.aPerson('Caio', '+5511982000005');
    const goes = await life.aPerson('Caio', '+5511982000006');
    const elsewhere = await aNumber(life.ctx);
    const alone = newId('cnv');
    await life.rows(
      `insert into conversations (organization_id, id, number_id, contact_id, opened_at, created_at)
       values ($1, $2, $3, $4, now(), now())`,
      [life.ctx.organizationId, alone, elsewhere.id, goes.id],
    );
    await life.rows("update conversations set status = 'closed', closed_at = now() where id = $1", [
      stays.conversation,
    ]);

    await merge(stays.id, goes.id);

    const conversations = await life.rows(
      'select id, status, closed_at, unread from conversations where contact_id = any($1) order by id',
      [[stays.id, goes.id]],
    );
    expect(conversations).toEqual([
      { id: stays.conversation, status: 'open', closed_at: null, unread: 2 },
      { id: alone, status: 'open', closed_at: null, unread: 0 },
    ]);
    const messages = await life.rows(
      'select id, contact_id from messages where conversation_id = $1 order by id',
      [stays.conversation],
    );
    expect(messages).toEqual(
      [stays.message, goes.message].map((id) => ({ id, contact_id: stays.id })),
    );
  });

  it('moves deals, reminders, submissions and runs, of one automation only the survivor’s goes on', async () => {
    const stays = await life.aPerson('Duda', '+5511982000007');
    const goes = await life.aPerson('Duda', '+5511982000008');

    await merge(stays.id, goes.id);

    const counts = await life.rows(
      `select (select count(*) from deals where contact_id = $1 and conversation_id = $2) as deals,
         (select count(*) from reminders where contact_id = $1 and status = 'active') as reminders,
         (select count(*) from form_submissions where contact_id = $1) as submissions,
         (select array_agg(status order by id) from automation_runs where contact_id = $1) as runs`,
      [stays.id, stays.conversation],
    );
    expect(counts).toEqual([
      { deals: 2, reminders: 2, submissions: 2, runs: ['waiting', 'cancelled'] },
    ]);
  });

  it('gives nobody one campaign twice', async () => {
    const stays = await life.aPerson('Edu', '+5511982000009');
    const goes = await life.aPerson('Edu', '+5511982000010');
    await life.rows('update campaign_recipients set campaign_id = $1 where campaign_id = $2', [
      stays.campaign,
      goes.campaign,
    ]);

    await merge(stays.id, goes.id);

    const recipients = await life.rows(
      'select phone, status, reason from campaign_recipients where campaign_id = $1 order by phone',
      [stays.campaign],
    );
    expect(recipients).toEqual([
      { phone: '+5511982000009', status: 'pending', reason: null },
      { phone: '+5511982000010', status: 'skipped', reason: 'duplicate' },
    ]);
    const drafts = await life.rows('select contact_ids from campaigns where id = $1', [
      goes.campaign,
    ]);
    expect(drafts).toEqual([{ contact_ids: [stays.id] }]);
  });

  it('is opted out when either was, under both phones', async () => {
    const stays = await life.aPerson('Fê', '+5511982000011');
    const goes = await aContact(life.ctx, { phone: '+5511982000012' });
    await transact(life.ctx, (tx) => optOut(tx, goes.id, { source: 'button', messageId: null }));

    const merged = await merge(stays.id, goes.id);
    await life.call('DELETE', `/${stays.id}`);

    expect(merged.body).toMatchObject({ opted_out: true, opt_out_source: 'button' });
    for (const phone of ['+5511982000011', '+5511982000012'])
      expect((await life.call('POST', '', { phone })).body.opted_out).toBe(true);
  });

  it('is opted out where the other phone is on the list, and that is written down', async () => {
    const stays = await aContact(life.ctx);
    const goes = await aContact(life.ctx, { phone: '+5511982000014' });
    await life.rows(
      `insert into opt_outs (organization_id, identity_hash, source, created_at)
       values ($1, wms.identity_hash($1, 'phone', $2), 'message', now())`,
      [life.ctx.organizationId, phoneKey('+5511982000014')],
    );

    const merged = await merge(stays.id, goes.id);

    const entries = await life.rows(
      "select changes from audit_entries where action = 'contact.opted_out' and target ->> 'id' = $1",
      [stays.id],
    );
    expect(merged.body).toMatchObject({ opted_out: true, opt_out_source: 'message' });
    expect(entries).toEqual([
      { changes: expect.arrayContaining([{ field: 'source', from: null, to: 'message' }]) },
    ]);
  });

  it('takes the phone of the other when it has none', async () => {
    const stays = await aContact(life.ctx, { name: 'Gil', phone: null });
    const goes = await aContact(life.ctx, { phone: '+5511982000013' });

    const merged = await merge(stays.id, goes.id);

    expect(merged.body).toMatchObject({
      phone: '+5511982000013',
      identities: [{ type: 'phone', value: '+5511982000013', number_id: null, primary: true }],
    });
  });

  it('shows the phones of both, and not the key by which they are matched', async () => {
    const phones = ['+5511982000021', '+5511982000022'];
    const stays = await aContact(life.ctx, { phone: phones[0] });
    const goes = await aContact(life.ctx, { phone: phones[1] });

    const { identities } = (await merge(stays.id, goes.id)).body;

    expect(identities.map(({ value }: { value: string }) => value)).toEqual(phones);
  });

  it('refuses an unknown other, itself, and an agent, and writes one entry for what it did', async () => {
    const stays = await aContact(life.ctx);
    const goes = await aContact(life.ctx);
    const agent = await aMember(life.ctx, { role: 'agent' });
    const unknown = newId('con');

    const answers = [
      await merge(stays.id, unknown),
      await merge(stays.id, stays.id),
      await merge(unknown, goes.id),
      await merge(stays.id, goes.id, agent.token),
      await merge(stays.id, goes.id),
    ];

    expect(answers.map(({ status, body }) => `${status} ${body.error?.code}`)).toEqual([
      '422 unknown_contact',
      '422 validation',
      '404 not_found',
      '403 forbidden',
      '200 undefined',
    ]);
    const entries = await life.rows(
      `select action, changes -> 0 as first from audit_entries where target ->> 'id' = any($1) and action <> 'contact.created'`,
      [[stays.id, goes.id]],
    );
    expect(entries).toEqual([
      {
        action: 'contact.merged',
        first: { field: 'merged_contact', from: goes.id, to: stays.id },
      },
    ]);
  });
});
