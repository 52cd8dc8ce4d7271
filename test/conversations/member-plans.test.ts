import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { MemberActor } from '../../src/access/actor.ts';
import type { Context } from '../../src/context.ts';
import { conversationFilters } from '../../src/conversations/schema.ts';
import { listConversations } from '../../src/conversations/service.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { selectNumbers } from '../../src/numbers/queries.ts';
import { analyze } from '../support/analyzing.ts';
import { type OwnDatabase, openOwnDatabase } from '../support/database.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { fillTables } from '../support/fill-tables.ts';
import { aMember } from '../support/members.ts';
import { rowsRead } from '../support/rows-read.ts';

const TALKS = 20_000;
/** One of so many conversations is the member's: many, and few of all. */
const ONE_OF = 20;
const page = { limit: 50, after: null };
/** A page of fifty, and the one that shows that there are more, twice. */
const ROWS = 110;

let database: OwnDatabase;
let ctx: Context;
let actor: MemberActor;
let busy: string;

const CONVERSATIONS = `
insert into conversations (organization_id, id, number_id, contact_id, status, assigned_member_id, opened_at, last_message_at, created_at)
select $1, 'cnv_01JD' || lpad(n::text, 22, '0'), $2, 'con_01JD' || lpad(n::text, 22, '0'), 'open',
  case when n % ${ONE_OF} = 0 then $3 end, now(), now() - n * interval '1 minute', now()
from generate_series(1, ${TALKS}) n`;

beforeAll(async () => {
  database = await openOwnDatabase();
  ({ ctx } = await aWorkspace(database));
  busy = (await aNumber(ctx)).id;
  for (let n = 0; n < 3; n += 1) await aNumber(ctx);
  const { id } = await aMember(ctx, { visibility: 'assigned' });
  actor = {
    ...{ type: 'member', id, name: 'Ana', role: 'agent', visibility: 'assigned', teamIds: [] },
    ...{ permissions: new Set(), credentialId: 'cxn_1', app: null },
  };
  await fillTables(database, ctx.organizationId, async (sql) => {
    const { organizationId } = ctx;
    await sql.rows(
      `insert into contacts (organization_id, id, name, origin, created_via, created_at, updated_at)
       select $1, 'con_01JD' || lpad(n::text, 22, '0'), 'Pessoa', 'import', 'import', now(), now()
       from generate_series(1, ${TALKS}) n`,
      [organizationId],
    );
    await sql.rows(CONVERSATIONS, [organizationId, busy, id]);
  });
  await analyze(database.url, 'conversations', 'contacts', 'numbers');
});

afterAll(() => database.close());

/** What the member finds, and how many conversations this reads. */
const reading = <T>(work: (as: Context) => Promise<T>): Promise<{ found: T; read: number }> =>
  inWorkspace(database, ctx.organizationId, async (sql) => {
    const before = await rowsRead(sql, ['conversations']);
    const found = await work({ ...ctx, actor, sql });
    return { found, read: (await rowsRead(sql, ['conversations'])) - before };
  });

describe('a member who sees their own conversations, one of twenty', () => {
  it.each([
    ['the first page', null],
    ['a page in the middle', TALKS / 2],
  ])('reads none but those of the page: %s', async (_, begins) => {
    const after = begins && {
      id: `cnv_01JD${String(begins).padStart(22, '0')}`,
      at: new Date(Date.now() - begins * 60_000).toISOString(),
    };
    const filters = conversationFilters.parse({ sort: 'last_message_at' });

    const { found, read } = await reading((as) =>
      listConversations(as, filters, { limit: 50, after: after || null }),
    );

    expect(found.data).toHaveLength(50);
    expect(read).toBeLessThan(ROWS);
  });

  it('finds the numbers of theirs by one conversation of each', async () => {
    const { found, read } = await reading((as) => selectNumbers(as, page));

    expect(found.map(({ id }) => id)).toEqual([busy]);
    expect(read).toBeLessThan(10);
  });
});
