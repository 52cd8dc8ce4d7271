import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { Actor, MemberActor } from '../../src/access/actor.ts';
import type { Context } from '../../src/context.ts';
import { conversationFilters } from '../../src/conversations/schema.ts';
import { listConversations, listMessages } from '../../src/conversations/service.ts';
import { inWorkspace } from '../../src/db/database.ts';
import type { Sql } from '../../src/db/sql.ts';
import { type OwnDatabase, openOwnDatabase } from '../support/database.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { fillTables } from '../support/fill-tables.ts';
import { rowsRead } from '../support/rows-read.ts';

const TALKS = 20_000;
const LONG_TALK = 5_000;
/** One of so many is open. */
const ONE_OF = 10;
const UNREAD = 10;

let database: OwnDatabase;
let ctx: Context;
let numberId: string;
let ownerId: string;
let teamId: string;

const idOf = (prefix: string, n: number): string => `${prefix}_01JD${String(n).padStart(22, '0')}`;

beforeAll(async () => {
  database = await openOwnDatabase();
  ({ ctx, ownerId } = await aWorkspace(database));
  numberId = (await aNumber(ctx)).id;
  teamId = 'team_01JD0000000000000000000001';
  await fillTables(database, ctx.organizationId, async (sql) => {
    const { organizationId } = ctx;
    await sql.rows(
      `insert into teams (organization_id, id, name, created_at) values ($1, $2, 'Loja', now())`,
      [organizationId, teamId],
    );
    await sql.rows(
      'insert into number_teams (organization_id, number_id, team_id) values ($1, $2, $3)',
      [organizationId, numberId, teamId],
    );
    await sql.rows(
      `insert into contacts (organization_id, id, name, origin, created_via, created_at, updated_at)
       select $1, 'con_01JD' || lpad(n::text, 22, '0'), 'Pessoa', 'import', 'import', now(), now()
       from generate_series(1, ${TALKS}) n`,
      [organizationId],
    );
    await sql.rows(
      `insert into conversations (organization_id, id, number_id, contact_id, status, assigned_member_id, assigned_team_id,
         unread, opened_at, last_message_at, created_at)
       select $1, 'cnv_01JD' || lpad(n::text, 22, '0'), $2, 'con_01JD' || lpad(n::text, 22, '0'),
         case when n % ${ONE_OF} = 0 then 'open' else 'closed' end, case when n % 500 = 0 then $3 end,
         case when n % 50 = 0 then $4 end, case when n % ${TALKS / UNREAD} = 0 then 1 else 0 end, now(), now() - n * interval '1 minute', now()
       from generate_series(1, ${TALKS}) n`,
      [organizationId, numberId, ownerId, teamId],
    );
    await sql.rows(
      `insert into messages (organization_id, id, conversation_id, number_id, direction, type, status, source, created_at)
       select $1, 'msg_01JD' || lpad(n::text, 22, '0'),
         'cnv_01JD' || lpad((case when n <= ${LONG_TALK} then 1 else n % ${TALKS} + 1 end)::text, 22, '0'), $2,
         'inbound', 'text', 'received', 'contact', now()
       from generate_series(1, 40000) n`,
      [organizationId, numberId],
    );
  });
  const owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
  await owner.query('vacuum analyze conversations, messages, contacts');
  await owner.end();
});

afterAll(() => database.close());

const member = (visibility: MemberActor['visibility']): MemberActor => ({
  type: 'member',
  id: ownerId,
  name: 'Ana',
  role: 'agent',
  visibility,
  teamIds: [teamId],
  numberIds: [numberId],
  permissions: new Set(),
  credentialId: 'cxn_1',
  app: null,
});

/** Plans of every statement, as they are run: by the app's role, under row level security. */
async function plansOf(actor: Actor, read: (ctx: Context) => Promise<unknown>): Promise<string> {
  return inWorkspace(database, ctx.organizationId, async (sql) => {
    const plans: unknown[] = [];
    const watching: Sql = {
      rows: async (text, params = []) => {
        plans.push(await sql.rows(`explain (format json) ${text}`, params));
        return sql.rows(text, params);
      },
    };
    await read({ ...ctx, actor, sql: watching });
    return JSON.stringify(plans);
  });
}

const SCAN = /"Node Type":"Seq Scan"[^{}]*"Relation Name":"(?:conversations|messages|contacts)"/;
const page = { limit: 50, after: null };

describe('a list of conversations', () => {
  it.each([
    ['key', {}],
    ['key', { sort: 'last_message_at' }],
    ['key', { team_id: 'TEAM' }],
    ['key', { member_id: 'MEMBER' }],
    ['key', { contact_id: idOf('con', 7) }],
    ['key', { status: 'open' }],
    ['assigned', {}],
    ['teams', {}],
    ['teams', { status: 'open' }],
  ] as const)('reads along an index, for a %s and %j', async (who, query) => {
    const named = Object.entries(query).map(([name, value]) => [
      name,
      value === 'TEAM' ? teamId : value === 'MEMBER' ? ownerId : value,
    ]);
    const filters = conversationFilters.parse(Object.fromEntries(named));
    const actor = who === 'key' ? ctx.actor : member(who);

    const plans = await plansOf(actor, (as) => listConversations(as, filters, page));

    expect(plans).not.toMatch(SCAN);
  });
});

/** How many conversations this reads. */
const read = (actor: Actor, work: (as: Context) => Promise<unknown>): Promise<number> =>
  inWorkspace(database, ctx.organizationId, async (sql) => {
    const before = await rowsRead(sql, ['conversations']);
    await work({ ...ctx, actor, sql });
    return (await rowsRead(sql, ['conversations'])) - before;
  });

describe('a page of the inbox', () => {
  const latest = (query: object) =>
    conversationFilters.parse({ sort: 'last_message_at', ...query });

  it('begins where the page before ended, without reading what comes before', async () => {
    const id = idOf('cnv', 10_000);
    const [middle] = await inWorkspace(database, ctx.organizationId, (sql) =>
      sql.rows<{ at: string }>(
        'select last_message_at::text as at from conversations where id = $1',
        [id],
      ),
    );
    const after = { id, at: middle?.at ?? '' };

    expect(
      await read(ctx.actor, (as) => listConversations(as, latest({}), { ...page, after })),
    ).toBeLessThan(100);
  });
});

describe.each(['last_message_at', 'created_at'])('what is unread, by %s', (sort) => {
  it('is looked for among what is open', async () => {
    const filters = conversationFilters.parse({ sort, unread: 'true' });
    const found: unknown[] = [];

    const rows = await read(ctx.actor, async (as) => {
      found.push(...(await listConversations(as, filters, page)).data);
    });

    expect(found).toHaveLength(UNREAD);
    expect(rows).toBeLessThanOrEqual(TALKS / ONE_OF);
  });
});

describe('a list of messages', () => {
  it.each(['key', 'assigned', 'teams'] as const)('reads along an index, for a %s', async (who) => {
    const id = idOf('cnv', 500);
    const actor = who === 'key' ? ctx.actor : member(who);

    const plans = await plansOf(actor, (as) => listMessages(as, id, page));

    expect(plans).not.toMatch(SCAN);
  });
});
