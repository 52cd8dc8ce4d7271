import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { candidates } from '../../../src/campaigns/audience/candidates.ts';
import { claim, PLANNED_ONCE } from '../../../src/campaigns/batches/claims.ts';
import { settle } from '../../../src/campaigns/batches/settling.ts';
import type { Context } from '../../../src/context.ts';
import {
  BY_INDEX,
  type Database,
  inWorkspace,
  openDatabase,
  ROW_BY_ROW,
} from '../../../src/db/database.ts';
import { first, type Sql } from '../../../src/db/sql.ts';
import { applyToMessages } from '../../../src/inbound/updates/reports.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database.ts';
import { aCampaign } from '../../support/factories/campaigns.ts';
import { aContact } from '../../support/factories/contacts.ts';
import { aNumber } from '../../support/factories/numbers.ts';
import { aWorkspace } from '../../support/factories/workspaces.ts';
import { rowsOf } from '../../support/rows-of.ts';
import { rowsRead } from '../../support/rows-read.ts';

let files: TestDatabase;
let database: Database;

beforeAll(async () => {
  files = await openTestDatabase();
  database = await openDatabase({ url: files.url });
});

afterAll(async () => {
  await database.close();
  await files.close();
});

/** Whether a campaign sent it, or a person whose send has no answer yet. */
type By = 'campaign' | 'member';

interface Sent {
  readonly ctx: Context;
  readonly numberId: string;
  readonly campaignId: string;
  /** Sends to so many more people. */
  more(people: number, by?: By): Promise<void>;
}

const SENT = `
with people as (
  insert into contacts (organization_id, id, name, phone, phone_key, origin, created_via, created_at, updated_at)
  select $1, 'con_' || n, 'Bia', '+55119' || (70000000 + n), '+55119' || (70000000 + n), 'direct', 'message', now(), now()
  from generate_series($2::int, $3::int) n returning id),
talks as (
  insert into conversations (organization_id, id, number_id, contact_id, opened_at, last_message_at, created_at, updated_at)
  select $1, 'cnv_' || substr(id, 5), $4, id, now(), now(), now(), now() from people returning id, contact_id),
said as (
  insert into messages (organization_id, id, conversation_id, number_id, contact_id, direction, type, text, status,
    source, campaign_id, sent_at, created_at)
  select $1, 'msg_0000000000' || lpad(substr(contact_id, 5), 16, '0'), id, $4, contact_id, 'outbound', 'text', 'Oi',
    case $6 when 'campaign' then 'sent' else 'sending' end, $6, case $6 when 'campaign' then $5 end,
    case $6 when 'campaign' then now() end, now() from talks returning id, contact_id)
insert into campaign_recipients (organization_id, campaign_id, id, identity_key, contact_id, phone, text, status,
  message_id, settled_at)
select $1, $5, 'rcp_1111111111' || right(id, 16), contact_id, contact_id, '+55', 'Oi', 'sent', id, now() from said where $6 = 'campaign'`;

async function aSentCampaign(): Promise<Sent> {
  const { ctx } = await aWorkspace(database);
  const { id: numberId } = await aNumber(ctx);
  const { id: contactId } = await aContact(ctx);
  const campaign = await aCampaign(ctx, { number_id: numberId, contact_ids: [contactId] });
  let people = 0;
  const more = async (wanted: number, by: By = 'campaign'): Promise<void> => {
    const between = [people + 1, people + wanted];
    people += wanted;
    await rowsOf(ctx, SENT, [ctx.organizationId, ...between, numberId, campaign.id, by]);
  };
  return { ctx, numberId, campaignId: campaign.id, more };
}

/** Of campaigns and what they write, so far. */
const readBy = (sql: Sql): Promise<number> =>
  rowsRead(sql, ['campaign_recipients', 'messages', 'contacts', 'conversations']);

/** So many of the first people got their message; how many rows that reads, with the settings of the real thing. */
const reported = (files: Database, { ctx, numberId }: Sent, people: number): Promise<number> =>
  inWorkspace(
    files,
    ctx.organizationId,
    async (sql) => {
      const about = { organizationId: ctx.organizationId, numberId, now: new Date() };
      const reports = Array.from({ length: people }, (_, n) => ({
        correlation: `msg_0000000000${String(n + 1).padStart(16, '0')}`,
        providerId: `wamid.${n}`,
        status: 'delivered' as const,
        at: new Date(),
        error: null,
      }));
      const before = await readBy(sql);
      await applyToMessages(sql, about, reports);
      return (await readBy(sql)) - before;
    },
    ROW_BY_ROW,
  );

const analyse = async (): Promise<void> => {
  const owner = new pg.Client({ connectionString: files.url });
  await owner.connect();
  await owner.query('analyze campaign_recipients; analyze messages; analyze contacts');
  await owner.end();
};

const FOLLOWED = `select count(*)::int as n from campaign_recipients where status = 'delivered'`;

const followedOf = async ({ ctx }: Sent): Promise<number> =>
  (await inWorkspace(database, ctx.organizationId, (sql) => first<{ n: number }>(sql, FOLLOWED)))
    ?.n ?? 0;

const CROWD = 1_500;
const REPORTED = 30;
/** A message, its recipient and its person, each found and changed. */
const LITTLE = REPORTED * 10;

const PENDING = `
with people as (
  insert into contacts (organization_id, id, name, phone, phone_key, origin, created_via, created_at, updated_at)
  select $1, 'con_p' || n, 'Bia', '+55118' || (70000000 + n), '+55118' || (70000000 + n), 'direct', 'message', now(), now()
  from generate_series(1, $2::int) n returning id, phone),
begun as (update campaigns set status = 'sending', started_at = now(), frozen_at = now() where id = $3)
insert into campaign_recipients (organization_id, campaign_id, id, identity_key, contact_id, phone, text)
select $1, $3, 'rcp_1111111111' || lpad(substr(id, 6), 16, '0'), phone, id, phone, 'Oi' from people`;

/** The next of them are claimed, and then settled; how many rows each reads, with the settings of the real thing. */
async function sentTo({ ctx, numberId, campaignId }: Sent, limit: number): Promise<number[]> {
  const { organizationId } = ctx;
  const about = { organizationId, campaignId, numberId, token: 'mine', now: new Date() };
  const counted = <T>(work: (sql: Sql) => Promise<T>): Promise<[T, number]> =>
    inWorkspace(
      database,
      organizationId,
      async (sql) => {
        const before = await readBy(sql);
        const result = await work(sql);
        return [result, (await readBy(sql)) - before];
      },
      PLANNED_ONCE,
    );
  const [found, claiming] = await counted((sql) =>
    claim(sql, { ...about, window24h: false, limitsRevision: 0, limit }),
  );
  const [, settling] = await counted((sql) =>
    settle(
      sql,
      about,
      found.claimed.map((row) => ({ status: 'sent', row, providerId: row.messageId })),
    ),
  );
  return [found.claimed.length, claiming, settling];
}

/** How many rows are read to look so many people up for an audience, with the settings of the real thing. */
const lookedUp = ({ ctx, numberId, campaignId }: Sent, people: number): Promise<number> =>
  inWorkspace(
    database,
    ctx.organizationId,
    async (sql) => {
      const ids = Array.from({ length: people }, (_, n) => `con_${n + 1}`);
      const about = { numberId, campaignId, cap: null, now: new Date() };
      const before = await readBy(sql);
      const found = await candidates(sql, ctx.organizationId, ids, about);
      expect(found.filter(({ name }) => name === 'Bia').length).toBe(people);
      return (await readBy(sql)) - before;
    },
    BY_INDEX,
  );

describe('a campaign', () => {
  it('looks its audience up without reading the other contacts, where the statistics know only somebody else', async () => {
    await (await aSentCampaign()).more(CROWD);
    await analyse();
    const sent = await aSentCampaign();
    await sent.more(CROWD);

    expect(await lookedUp(sent, REPORTED)).toBeLessThan(LITTLE);
  });

  it('claims and settles without reading its other recipients, where the statistics know only somebody else', async () => {
    await (await aSentCampaign()).more(CROWD);
    await analyse();
    const sent = await aSentCampaign();
    const { organizationId } = sent.ctx;
    await inWorkspace(database, organizationId, (sql) =>
      sql.rows(PENDING, [organizationId, CROWD, sent.campaignId]),
    );

    const [claimed, claiming, settling] = await sentTo(sent, REPORTED);

    expect(claimed).toBe(REPORTED);
    expect(claiming).toBeLessThan(LITTLE);
    expect(settling).toBeLessThan(LITTLE);
  });

  it('claims for a retry without reading those whom the first one was sent to', async () => {
    await (await aSentCampaign()).more(CROWD);
    await analyse();
    const sent = await aSentCampaign();
    await sent.more(CROWD);
    const { organizationId } = sent.ctx;
    const { id: contactId } = await aContact(sent.ctx, { phone: '+5511960000001' });
    const asked = { number_id: sent.numberId, contact_ids: [contactId] };
    const { id: campaignId } = await aCampaign(sent.ctx, asked);
    await inWorkspace(database, organizationId, async (sql) => {
      await sql.rows(PENDING, [organizationId, CROWD, campaignId]);
      const retries = 'update campaigns set retry_of = $2 where id = $1';
      await sql.rows(retries, [campaignId, sent.campaignId]);
    });

    const [claimed, claiming] = await sentTo({ ...sent, campaignId }, REPORTED);

    expect(claimed).toBe(REPORTED);
    expect(claiming).toBeLessThan(LITTLE);
  });
});

describe('reports of what became of a campaign', () => {
  it('are followed without reading its other recipients, though plans were made when there were few', async () => {
    const young = await openDatabase({ url: files.url, poolSize: 1 });
    const sent = await aSentCampaign();
    await sent.more(8);
    for (let n = 0; n < 8; n += 1) await reported(young, sent, 1);
    await sent.more(CROWD);

    expect(await reported(young, sent, REPORTED)).toBeLessThan(LITTLE);
    expect(await followedOf(sent)).toBe(REPORTED);
    await young.close();
  });

  it('of single messages are taken without reading the others, where the statistics know only somebody else', async () => {
    await (await aSentCampaign()).more(CROWD);
    await analyse();
    const sent = await aSentCampaign();
    await sent.more(CROWD, 'member');

    expect(await reported(database, sent, REPORTED)).toBeLessThan(LITTLE);
  });

  it('are followed so too where the statistics know only somebody else', async () => {
    await (await aSentCampaign()).more(CROWD);
    await analyse();
    const sent = await aSentCampaign();
    await sent.more(CROWD);

    expect(await reported(database, sent, REPORTED)).toBeLessThan(LITTLE);
    expect(await followedOf(sent)).toBe(REPORTED);
  });
});
