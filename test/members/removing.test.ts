import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { Context } from '../../src/context.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { removeMember } from '../../src/members/removing.ts';
import { type OwnDatabase, openOwnDatabase } from '../support/database.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation } from '../support/factories/conversations.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { aMember } from '../support/members.ts';
import { asOwner } from '../webhooks/events/support/refusing.ts';

let database: OwnDatabase;
let ctx: Context;

beforeAll(async () => {
  database = await openOwnDatabase();
});
beforeEach(async () => {
  ({ ctx } = await aWorkspace(database));
});
afterAll(() => database.close());

const rows = <R>(text: string, params: unknown[] = []): Promise<R[]> =>
  inWorkspace(database, ctx.organizationId, (sql) => sql.rows<R>(text, params));

const log = (id: string): Promise<unknown[]> =>
  rows(
    "select action, changes from audit_entries where target ->> 'id' = $1 order by seq offset 1",
    [id],
  );

const SECOND_PAGE_REFUSED = `
create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$;
create trigger refuse before update on contacts for each row when (old.id > 'con_${'2200'.padStart(26, '0')}')
  execute function refuse();`;

it('removing a member leaves what was theirs to somebody else, and their name in the log', async () => {
  const { id } = await aMember(ctx);
  const number = await aNumber(ctx);
  const contact = await aContact(ctx, { owner_id: id });
  const conversation = await aConversation(ctx, { numberId: number.id, contactId: contact.id });
  await rows('update conversations set assigned_member_id = $1 where id = $2', [id, conversation]);

  await removeMember(ctx, id);

  expect(await rows('select owner_id from contacts')).toEqual([{ owner_id: null }]);
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
  await asOwner(database.url, SECOND_PAGE_REFUSED);

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
