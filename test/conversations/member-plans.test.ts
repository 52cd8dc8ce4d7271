import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { MemberActor } from '../../src/access/actor.ts';
import type { Context } from '../../src/context.ts';
import { conversationFilters } from '../../src/conversations/schema.ts';
import { listConversations } from '../../src/conversations/service.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { memberActor } from '../../src/members/actors.ts';
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
/** Of a team that has a few conversations, and whose number has a few of nobody. */
let teamMember: MemberActor;

const CONVERSATIONS = `
insert into conversations (organization_id, id, number_id, contact_id, status, assigned_member_id, opened_at, last_message_at, created_at)
select $1, 'cnv_01JD' || lpad(n::text, 22, '0'), $2, 'con_01JD' || lpad(n::text, 22, '0'), 'open',
  case when n % ${ONE_OF} = 0 then $3 end, now(), now() - n * interval '1 minute', now()
from generate_series(1, ${TALKS}) n`;

const FEW = 3;
const OF_A_TEAM = `
with its as (insert into number_teams (organization_id, number_id, team_id) values ($1, $3, $2)),
given as (update conversations set assigned_team_id = $2
  where organization_id = $1 and id in (select 'cnv_01JD' || lpad((n * 1000 + 1)::text, 22, '0') from generate_series(1, ${FEW}) n))
insert into conversations (organization_id, id, number_id, contact_id, status, opened_at, last_message_at, created_at)
select $1, 'cnv_01JE' || lpad(n::text, 22, '0'), $3, 'con_01JD' || lpad(n::text, 22, '0'), 'open', now(), now(), now()
from generate_series(1, ${FEW}) n`;

beforeAll(async () => {
  database = await openOwnDatabase();
  ({ ctx } = await aWorkspace(database));
  busy = (await aNumber(ctx)).id;
  const [{ id: quiet }] = await Promise.all([aNumber(ctx), aNumber(ctx), aNumber(ctx)]);
  const { id } = await aMember(ctx, { visibility: 'assigned' });
  actor = {
    type: 'member',
    id,
    name: 'Ana',
    role: 'agent',
    visibility: 'assigned',
    teamIds: [],
    numberIds: [],
    permissions: new Set(),
    credentialId: 'cxn_1',
    app: null,
  };
  const { id: colleague, teamIds } = await aMember(ctx, { visibility: 'teams', teams: ['Loja'] });
  const [teamId] = teamIds;
  await fillTables(database, ctx.organizationId, async (sql) => {
    const { organizationId } = ctx;
    await sql.rows(
      `insert into contacts (organization_id, id, name, origin, created_via, created_at, updated_at)
       select $1, 'con_01JD' || lpad(n::text, 22, '0'), 'Pessoa', 'import', 'import', now(), now()
       from generate_series(1, ${TALKS}) n`,
      [organizationId],
    );
    await sql.rows(CONVERSATIONS, [organizationId, busy, id]);
    await sql.rows(OF_A_TEAM, [organizationId, teamId, quiet]);
  });
  await analyze(database.url, 'conversations', 'contacts', 'numbers', 'number_teams');
  teamMember = await asTheyAre(colleague);
});

afterAll(() => database.close());

/** A member as they come in at the door. */
async function asTheyAre(id: string): Promise<MemberActor> {
  const { organizationId } = ctx;
  const through = { credentialId: 'cxn_2', app: null };
  const member = await inWorkspace(database, organizationId, (sql) =>
    memberActor(sql, organizationId, id, through),
  );
  if (!member) throw new Error('The member does not act.');
  return member;
}

/** What a member finds, and how many conversations this reads. */
const reading = <T>(
  work: (as: Context) => Promise<T>,
  as: MemberActor = actor,
): Promise<{ found: T; read: number }> =>
  inWorkspace(database, ctx.organizationId, async (sql) => {
    const before = await rowsRead(sql, ['conversations']);
    const found = await work({ ...ctx, actor: as, sql });
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

describe('a member of a team that has a few of many', () => {
  it.each(['last_message_at', 'created_at'])('reads none but those, by %s', async (sort) => {
    const filters = conversationFilters.parse({ sort });

    const { found, read } = await reading((as) => listConversations(as, filters, page), teamMember);

    expect(found.data).toHaveLength(2 * FEW);
    expect(read).toBeLessThan(ROWS);
  });

  it('sees nothing of a number any more as soon as the team has lost it', async () => {
    const { organizationId } = ctx;
    const taken =
      'delete from number_teams where organization_id = $1 returning number_id, team_id';
    const [lost] = await inWorkspace(database, organizationId, (sql) =>
      sql.rows<{ number_id: string; team_id: string }>(taken, [organizationId]),
    );

    const now = await asTheyAre(teamMember.id);
    const { found } = await reading(
      (as) => listConversations(as, conversationFilters.parse({}), page),
      now,
    );

    expect(found.data).toHaveLength(FEW);
    expect(found.data.map((one) => one.number_id)).not.toContain(lost?.number_id);
  });
});
