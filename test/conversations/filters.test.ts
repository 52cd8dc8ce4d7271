import { beforeAll, describe, expect, it } from '@jest/globals';
import { conversationRoutes } from '../../src/conversations/routes.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { aGroupOf } from '../campaigns/support/groups.ts';
import { openApi } from '../support/api.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation } from '../support/factories/conversations.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aMember, type TestMember } from '../support/members.ts';
import { opened } from '../support/opened.ts';

const door = opened(() => openApi({ routes: conversationRoutes }));
let seller: TestMember;
let numberId: string;
let plain: string;
let assigned: string;
let closed: string;
let inGroup: string;
let groupId: string;

beforeAll(async () => {
  seller = await aMember(door.ctx, { teams: ['Vendas'] });
  numberId = (await aNumber(door.ctx)).id;
  const begin = async (on = numberId): Promise<string> =>
    aConversation(door.ctx, { numberId: on, contactId: (await aContact(door.ctx)).id });
  plain = await begin();
  assigned = await begin();
  closed = await begin((await aNumber(door.ctx)).id);
  ({ id: groupId, conversationId: inGroup } = await aGroupOf(door.ctx, numberId));
  await inWorkspace(door.database, door.ctx.organizationId, async (sql) => {
    await sql.rows(
      `update conversations set assigned_team_id = $2, assigned_member_id = $3, handled_by = 'member' where id = $1`,
      [assigned, seller.teamIds[0], seller.id],
    );
    await sql.rows(`update conversations set status = 'closed', closed_at = now() where id = $1`, [
      closed,
    ]);
  });
});
const list = async (query: string, by = door.key): Promise<string[]> => {
  const { status, body } = await door.api.call('GET', `/api/v1/conversations?${query}`, {
    key: by,
  });
  expect([query, status]).toEqual([query, 200]);
  return body.data.map(({ id }: { id: string }) => id);
};

describe('the filters of conversations', () => {
  it('keep to what is open or closed, and without one show both', async () => {
    expect(await list('status=open')).toEqual([inGroup, assigned, plain]);
    expect(await list('status=closed')).toEqual([closed]);
    expect(await list('')).toEqual([inGroup, closed, assigned, plain]);
  });

  it('keep to a number, a team, a member, a group, who answers, and a kind', async () => {
    expect(await list(`number_id=${numberId}`)).toEqual([inGroup, assigned, plain]);
    expect(await list(`team_id=${seller.teamIds[0]}`)).toEqual([assigned]);
    expect(await list(`member_id=${seller.id}`)).toEqual([assigned]);
    expect(await list(`group_id=${groupId}`)).toEqual([inGroup]);
    expect(await list('handled_by=member')).toEqual([assigned]);
    expect(await list('kind=group')).toEqual([inGroup]);
    expect(await list('kind=contact&status=open')).toEqual([assigned, plain]);
  });

  it('find what changed, or had a message, since then', async () => {
    await inWorkspace(door.database, door.ctx.organizationId, (sql) =>
      sql.rows(
        `update conversations set updated_at = case id when $1 then $3 else $4 end::timestamptz,
           last_message_at = case id when $2 then $3 else $4 end::timestamptz`,
        [plain, assigned, '2026-03-01T00:00:00Z', '2026-01-01T00:00:00Z'],
      ),
    );

    expect(await list('updated_since=2026-02-01T00:00:00Z')).toEqual([assigned, plain]);
  });

  it('take the window of a group for open, and that of whoever never wrote for expired', async () => {
    const { id } = await aNumber(door.ctx, { window: true });
    const { conversationId: group } = await aGroupOf(door.ctx, id);
    const contactId = (await aContact(door.ctx)).id;
    const silent = await aConversation(door.ctx, { numberId: id, contactId });

    expect(await list(`number_id=${id}&window=open`)).toEqual([group]);
    expect(await list(`number_id=${id}&window=expired`)).toEqual([silent]);
  });

  it('know who asks: me is the member whom an app acts for', async () => {
    const other = await aMember(door.ctx);

    expect(await list('member_id=me', seller.token)).toEqual([assigned]);
    expect(await list('member_id=me', other.token)).toEqual([]);
  });

  it.each([
    ['status=archived', 'status'],
    ['kind=person', 'kind'],
    ['handled_by=robot', 'handled_by'],
    ['unread=yes', 'unread'],
    ['window=ajar', 'window'],
    ['sort=name', 'sort'],
    ['updated_since=yesterday', 'updated_since'],
    ['updated_since=0000-01-01T00:00:00Z', 'updated_since'],
    ['updated_since=2026-01-01T00:00:00%2B23:00', 'updated_since'],
    [`number_id=${'x'.repeat(101)}`, 'number_id'],
  ])('refuse %s', async (query, path) => {
    const reply = await door.call('GET', `/conversations?${query}`);

    expect(reply.status).toBe(422);
    expect(reply.body.error.details).toMatchObject([{ path }]);
  });
});
