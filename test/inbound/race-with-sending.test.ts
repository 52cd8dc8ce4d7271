import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Claimed, KEY_LENGTH } from '../../src/campaigns/batches/claims.ts';
import { settle } from '../../src/campaigns/batches/settling.ts';
import type { Context } from '../../src/context.ts';
import type { ReportedStatus } from '../../src/conversations/rules.ts';
import { type Database, inWorkspace, ROW_BY_ROW } from '../../src/db/database.ts';
import type { Sql } from '../../src/db/sql.ts';
import { newId } from '../../src/ids.ts';
import { applyLate, applyToMessages } from '../../src/inbound/updates/reports.ts';
import { openOwnDatabase } from '../support/database.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { anEndpoint } from '../support/factories/webhooks.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { factsOf, rowsOf } from '../support/rows-of.ts';

const TOKEN = 'a claim';
const COUNT = 200;

let database: Database;
let ctx: Context;
let numberId: string;
let campaignId: string;
let claimed: Claimed[];

/** A campaign whose every recipient was claimed a moment ago. */
beforeAll(async () => {
  database = await openOwnDatabase();
  ({ ctx } = await aWorkspace(database));
  numberId = (await aNumber(ctx)).id;
  await anEndpoint(ctx, 'http://127.0.0.1:9');
  campaignId = newId('cmp');
  claimed = [];
  for (let n = 0; n < COUNT; n++) claimed.push(await aClaim(n));
  await inWorkspace(database, ctx.organizationId, async (sql) => {
    const column = (name: keyof Claimed) => claimed.map((row) => row[name]);
    const own = [ctx.organizationId, campaignId, numberId];
    await sql.rows(
      `insert into campaigns (organization_id, id, name, status, number_id, target, text, created_by, created_at)
       values ($1, $2, 'Aviso', 'sending', $3, 'contacts', 'Oi', '{}', now())`,
      own,
    );
    await sql.rows(
      `insert into campaign_recipients (organization_id, campaign_id, id, identity_key, contact_id, phone, text,
         status, message_id, attempts, attempt_token, claimed_at)
       select $1, $2, t.id, t.id, t.contact_id, '+5511', 'Oi', 'sending', t.message_id, 1, '${TOKEN}', now()
       from unnest($3::text[], $4::text[], $5::text[]) t (id, contact_id, message_id)`,
      [...own.slice(0, 2), column('recipientId'), column('contactId'), column('messageId')],
    );
  });
});

afterAll(() => database.close());

async function aClaim(n: number): Promise<Claimed> {
  const { id, name, phone } = await aContact(ctx, {
    phone: `+5511982${String(n).padStart(6, '0')}`,
  });
  const recipientId = newId('rcp');
  return {
    recipientId,
    messageId: newId('msg').slice(0, -KEY_LENGTH) + recipientId.slice(-KEY_LENGTH),
    contactId: id,
    name,
    phone: phone ?? '',
    text: 'Oi',
    attempts: 1,
    written: false,
    token: TOKEN,
  };
}

const shuffled = <T>(items: readonly T[]): T[] => [...items].sort(() => Math.random() - 0.5);
const providerId = ({ messageId }: Claimed): string => `wamid.${messageId}`;

const answered = (rows: readonly Claimed[]): Promise<number> =>
  inWorkspace(database, ctx.organizationId, (sql) =>
    settle(
      sql,
      { organizationId: ctx.organizationId, campaignId, numberId, now: new Date() },
      rows.map((row) => ({ status: 'sent', row, providerId: providerId(row) })),
    ),
  );

const reportsOf = (rows: readonly Claimed[], status: ReportedStatus) =>
  rows.map((row) => ({
    correlation: row.messageId,
    providerId: providerId(row),
    status,
    // WhatsApp tells whole seconds: these may be before the claim.
    at: new Date(Math.floor(Date.now() / 1000) * 1000 - 1000),
    error: null,
  }));

const within = <T>(apply: (sql: Sql) => Promise<T>): Promise<T> =>
  inWorkspace(database, ctx.organizationId, apply, ROW_BY_ROW);

/** As the inbound lane does. */
async function reported(rows: readonly Claimed[], status: ReportedStatus): Promise<number> {
  const reports = reportsOf(rows, status);
  const about = { organizationId: ctx.organizationId, numberId, now: new Date() };
  const { announced, late } = await within((sql) => applyToMessages(sql, about, reports));
  return announced + (await within((sql) => applyLate(sql, about, late))).announced;
}

describe('a report that names the message of another number', () => {
  it('settles nobody', async () => {
    const { id: other } = await aNumber(ctx, { name: 'Suporte' });
    const about = { organizationId: ctx.organizationId, numberId: other, now: new Date() };
    const reports = reportsOf(claimed.slice(0, 1), 'delivered');

    const applied = await within((sql) => applyToMessages(sql, about, reports));

    expect(applied).toMatchObject({ changed: [], announced: 0, late: reports });
    expect(
      await rowsOf(ctx, 'select status, count(*) from campaign_recipients group by 1'),
    ).toEqual([{ status: 'sending', count: COUNT }]);
  });
});

describe('answers to sends and status webhooks about them, at the same time', () => {
  it('announce each message once, whichever comes first, and never end each other', async () => {
    let announced = 0;

    for (let from = 0; from < COUNT; from += 50) {
      const group = claimed.slice(from, from + 50);
      const parts = [shuffled(group), shuffled(group), shuffled(group)] as const;
      const counts = await Promise.all([
        answered(parts[0]),
        reported(parts[1], 'sent'),
        reported(parts[2], 'delivered'),
      ]);
      announced += counts.reduce((sum, count) => sum + count, 0);
    }

    const events = await factsOf(ctx, 'message.sent');
    const named = new Set(events.map(({ message }) => (message as { id: string }).id));
    expect([announced, events.length, named.size]).toEqual([COUNT, COUNT, COUNT]);
    const ends = await rowsOf(
      ctx,
      `select m.status as message, r.status as recipient, m.provider_id is not null as named,
         m.created_at <= m.sent_at
           and date_trunc('milliseconds', r.claimed_at) <= least(m.sent_at, r.settled_at) as in_order, count(*)
       from messages m join campaign_recipients r on r.message_id = m.id group by 1, 2, 3, 4`,
    );
    expect(ends).toEqual([
      { message: 'delivered', recipient: 'delivered', named: true, in_order: true, count: COUNT },
    ]);
  });
});
