import { beforeEach, expect, it } from '@jest/globals';
import { updateContact } from '../../src/contacts/changing.ts';
import type { Context } from '../../src/context.ts';
import { transact } from '../../src/db/transact.ts';
import { suspendMember } from '../../src/members/changing.ts';
import { removeMember, removeTeam } from '../../src/members/removing.ts';
import { addTeam, updateTeam } from '../../src/members/teams.ts';
import { updateNumber } from '../../src/numbers/changing.ts';
import { createDeal } from '../../src/pipelines/service.ts';
import { openOwnDatabase, untilWaiting } from '../support/database.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation } from '../support/factories/conversations.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aPipeline } from '../support/factories/pipelines.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { aMember } from '../support/members.ts';
import { opened } from '../support/opened.ts';
import { auditOf, rowsOf } from '../support/rows-of.ts';
import { asOwner } from '../webhooks/events/support/refusing.ts';

const database = opened(openOwnDatabase);
let ctx: Context;

beforeEach(async () => {
  ({ ctx } = await aWorkspace(database));
});

const rows = <R>(text: string, params: unknown[] = []) => rowsOf<R>(ctx, text, params);

/** What happened to a member since they came. */
const log = async (id: string) => (await auditOf(ctx, id)).slice(1);

const refusedFrom = (table: string, id: string): string => `
create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$;
create trigger refuse before update on ${table} for each row when (old.id > '${id}') execute function refuse();`;

/** Each with the same number in both ids: `con_…0001`, `cnv_…0001`. */
const manyConversations = async (teamId: string, howMany: number): Promise<void> => {
  const { id: numberId } = await aNumber(ctx);
  await rows(
    `with many as (
       insert into contacts (organization_id, id, name, origin, created_via, created_at, updated_at)
       select $1, 'con_' || lpad(n::text, 26, '0'), 'Bia', 'import', 'import', now(), now() from generate_series(1, $4::int) n
       returning id)
     insert into conversations (organization_id, id, number_id, contact_id, assigned_team_id, opened_at, created_at, updated_at)
     select $1, replace(id, 'con', 'cnv'), $3, id, $2, '2026-01-01', '2026-01-01', '2026-01-01' from many`,
    [ctx.organizationId, teamId, numberId, howMany],
  );
};

it('removing a member leaves what was theirs to somebody else, and their name in the log', async () => {
  const { id } = await aMember(ctx);
  const number = await aNumber(ctx);
  const contact = await aContact(ctx, { owner_id: id });
  const conversation = await aConversation(ctx, { numberId: number.id, contactId: contact.id });
  await rows('update conversations set assigned_member_id = $1 where id = $2', [id, conversation]);
  const stage_id = (await aPipeline(ctx)).stages['Novo'] ?? '';
  await transact(ctx, (tx) => createDeal(tx, { stage_id, contact_id: contact.id, owner_id: id }));
  for (const table of ['contacts', 'deals']) await rows(`update ${table} set updated_at = 'epoch'`);

  await removeMember(ctx, id);

  for (const table of ['contacts', 'deals'])
    expect(await rows(`select owner_id, updated_at > 'epoch' as told from ${table}`)).toEqual([
      { owner_id: null, told: true },
    ]);
  expect(await rows('select assigned_member_id, status from conversations')).toEqual([
    { assigned_member_id: null, status: 'open' },
  ]);
  expect(await log(id)).toEqual([
    { action: 'member.suspended', changes: [{ field: 'status', from: 'active', to: 'suspended' }] },
    { action: 'member.removed', changes: [{ field: 'role', from: 'agent', to: null }] },
  ]);
});

it('removing is done page by page, and goes on where it was interrupted', async () => {
  const { id } = await aMember(ctx);
  await rows(
    `insert into contacts (organization_id, id, name, owner_id, origin, created_via, created_at, updated_at)
     select $1, 'con_' || lpad(n::text, 26, '0'), 'Bia', $2, 'import', 'import', now(), now() from generate_series(1, 2500) n`,
    [ctx.organizationId, id],
  );
  const owned = () => rows('select id from contacts where owner_id is not null');
  const status = () => rows('select status from members where id = $1', [id]);
  await asOwner(database.url, refusedFrom('contacts', `con_${'2200'.padStart(26, '0')}`));

  await expect(removeMember(ctx, id)).rejects.toThrow('refused');
  expect(await status()).toEqual([{ status: 'suspended' }]);
  expect(await owned()).toHaveLength(500);
  await asOwner(database.url, 'drop function refuse cascade');
  await removeMember({ ...ctx, em: ctx.em.fork() }, id);

  expect(await owned()).toEqual([]);
  expect(await status()).toEqual([]);
  expect(await log(id)).toMatchObject([
    { action: 'member.suspended' },
    { action: 'member.removed' },
  ]);
});

it('a team with very many conversations is removed page by page, and each of them was updated then', async () => {
  const { id } = await addTeam(ctx, 'Vendas');
  await manyConversations(id, 700);
  const having = () => rows('select id from conversations where assigned_team_id = $1', [id]);
  const names = () => rows('select name from teams');
  await asOwner(database.url, refusedFrom('conversations', `cnv_${'600'.padStart(26, '0')}`));

  await expect(removeTeam({ ...ctx, em: ctx.em.fork() }, id)).rejects.toThrow('refused');
  expect([await names(), (await having()).length]).toEqual([[{ name: 'Vendas' }], 200]);
  await asOwner(database.url, 'drop function refuse cascade');
  await removeTeam({ ...ctx, em: ctx.em.fork() }, id);

  expect([await names(), await having()]).toEqual([[], []]);
  expect(await rows('select distinct updated_at as at from conversations')).toEqual([
    { at: ctx.now },
  ]);
  expect(await log(id)).toMatchObject([{ action: 'team.removed' }]);
});

it('somebody who is just being removed gets nothing any more', async () => {
  const [{ id }, contact] = [await aMember(ctx), await aContact(ctx)];

  const { given } = await transact({ ...ctx, em: ctx.em.fork() }, async (tx) => {
    await removeMember(tx, id);
    const other = { ...ctx, em: ctx.em.fork() };
    const given = updateContact(other, contact.id, { owner_id: id }).catch((error) => error);
    await untilWaiting(database.app);
    return { given };
  });

  expect(await given).toMatchObject({ code: 'unknown_member', details: { owner_id: id } });
});

it('a team that may not be removed keeps its conversations', async () => {
  const { id } = await addTeam(ctx, 'Vendas');
  await manyConversations(id, 2);
  const [number] = await rows<{ id: string }>('select id from numbers');
  await updateNumber(ctx, number?.id ?? '', { team_ids: [id], default_team_id: id });

  await expect(removeTeam({ ...ctx, em: ctx.em.fork() }, id)).rejects.toMatchObject({
    code: 'in_use',
  });

  expect(await rows('select id from conversations where assigned_team_id = $1', [id])).toHaveLength(
    2,
  );
});

it('a team is removed with what is given to it while that goes on', async () => {
  const { id } = await addTeam(ctx, 'Vendas');
  await manyConversations(id, 2);
  const [first, second] = await rows<{ id: string }>('select id from conversations order by id');
  await rows('update conversations set assigned_team_id = null where id = $1', [second?.id]);

  const { removed } = await transact({ ...ctx, em: ctx.em.fork() }, async ({ sql }) => {
    await sql.rows('select from conversations where id = $1 for update', [first?.id]);
    const removed = removeTeam({ ...ctx, em: ctx.em.fork() }, id);
    await untilWaiting(database.app);
    await sql.rows('update conversations set assigned_team_id = $1 where id = $2', [
      id,
      second?.id,
    ]);
    return { removed };
  });
  await removed;

  expect(await rows('select name from teams')).toEqual([]);
  const told = await rows(
    'select distinct assigned_team_id as team, updated_at as at from conversations',
  );
  expect(told).toEqual([{ team: null, at: ctx.now }]);
});

it('a team that is just removed, or renamed, is changed as it is by then', async () => {
  const [sales, support] = [await addTeam(ctx, 'Vendas'), await addTeam(ctx, 'Suporte')];
  const rename = (id: string): Promise<unknown> =>
    updateTeam({ ...ctx, em: ctx.em.fork() }, id, { name: 'Compras' }).catch((error) => error);

  const { late } = await transact({ ...ctx, em: ctx.em.fork() }, async (tx) => {
    await removeTeam(tx, sales.id);
    await updateTeam(tx, support.id, { name: 'Ajuda' });
    const late = [rename(sales.id), rename(support.id)];
    await untilWaiting(database.app, 2);
    return { late };
  });

  expect(await late[0]).toMatchObject({ code: 'not_found' });
  expect(await late[1]).toMatchObject({ name: 'Compras' });
  expect((await log(sales.id)).map(({ action }) => action)).toEqual(['team.removed']);
  expect((await log(support.id)).flatMap(({ changes }) => changes)).toEqual([
    { field: 'name', from: 'Suporte', to: 'Ajuda' },
    { field: 'name', from: 'Ajuda', to: 'Compras' },
  ]);
});

it('of what a suspended member has, the open conversations go first', async () => {
  const { id } = await aMember(ctx);
  const { id: teamId } = await addTeam(ctx, 'Vendas');
  await manyConversations(teamId, 501);
  await rows(
    `update conversations set assigned_member_id = $1,
       status = case when id = (select max(id) from conversations) then 'open' else 'closed' end`,
    [id],
  );

  await suspendMember(ctx, id);

  expect(
    await rows('select status from conversations where assigned_member_id = $1', [id]),
  ).toEqual([{ status: 'closed' }]);
});
