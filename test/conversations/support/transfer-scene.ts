import { afterAll, beforeAll } from '@jest/globals';
import type { Context } from '../../../src/context.ts';
import { conversationRoutes } from '../../../src/conversations/routes.ts';
import { anApiKey } from '../../support/factories/api-keys.ts';
import { aContact } from '../../support/factories/contacts.ts';
import { aConversation } from '../../support/factories/conversations.ts';
import { aNumber } from '../../support/factories/numbers.ts';
import { aWorkspace } from '../../support/factories/workspaces.ts';
import { type OpenDoor, openDoor, type Reply } from '../../support/http.ts';
import { aMember } from '../../support/members.ts';
import { rowsOf } from '../../support/rows-of.ts';

/** A workspace with a number, its conversations and teams, for what is about who gets a conversation. */
export function transferScene() {
  let door: OpenDoor;
  let ctx: Context;
  let key: string;
  let numberId: string;
  let teams = 0;

  beforeAll(async () => {
    door = await openDoor({ routes: conversationRoutes });
    ({ ctx } = await aWorkspace(door.database));
    ({ key } = await anApiKey(ctx));
    numberId = (await aNumber(ctx)).id;
  });
  afterAll(() => door.close());

  const rows = <R>(sql: string, params: unknown[] = []) => rowsOf<R>(ctx, sql, params);

  return {
    get door() {
      return door;
    },
    get key() {
      return key;
    },
    get numberId() {
      return numberId;
    },
    get ctx() {
      return ctx;
    },
    rows,
    /** By the workspace's key, or another one. */
    transfer: (id: string, body: unknown, as = key): Promise<Reply> =>
      door.api.call('POST', `/api/v1/conversations/${id}/transfer`, { key: as, body }),
    begun: async (): Promise<string> =>
      aConversation(ctx, { numberId, contactId: (await aContact(ctx)).id }),
    /** A team with its first member. */
    aTeam: async () => {
      teams += 1;
      const name = `Equipe ${teams}`;
      const member = await aMember(ctx, { teams: [name] });
      return { name, teamId: member.teamIds[0] ?? '', member };
    },
    fresh: (): Context => ({ ...ctx, em: ctx.em.fork(), now: new Date() }),
    assigned: async (id: string): Promise<string | null> => {
      const text = 'select assigned_member_id as member from conversations where id = $1';
      const [row] = await rows<{ member: string | null }>(text, [id]);
      return row?.member ?? null;
    },
  };
}
