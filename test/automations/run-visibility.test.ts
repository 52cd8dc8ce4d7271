import { beforeEach, describe, expect, it } from '@jest/globals';
import { SCOPE_NAMES } from '../../src/access/scopes.ts';
import { automationRoutes } from '../../src/automations/routes.ts';
import { deleteContact } from '../../src/contacts/deleting.ts';
import type { Context } from '../../src/context.ts';
import { anApiKey } from '../support/factories/api-keys.ts';
import { anActiveAutomation, aRun } from '../support/factories/automations.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation } from '../support/factories/conversations.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { openDoor } from '../support/http.ts';
import { aMember, type TestMember } from '../support/members.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';

let ctx: Context;
let key: string;
let automationId: string;
/** Who sees their own conversations alone. */
let narrow: TestMember;

const door = opened(() => openDoor({ routes: automationRoutes({ trustedOrigins: [] }) }));
beforeEach(async () => {
  ({ ctx } = await aWorkspace(door.database));
  ({ key } = await anApiKey(ctx, SCOPE_NAMES));
  ({ id: automationId } = await anActiveAutomation(ctx));
  narrow = await aMember(ctx, { role: 'admin', visibility: 'assigned' });
});

const call = async (method: string, path: string, as: string) =>
  (await door.api.call(method, `/api/v1${path}`, { key: as })) as {
    readonly status: number;
    readonly body: { readonly status: string; readonly data: { readonly id: string }[] };
  };

interface Run {
  readonly id: string;
  readonly contactId: string;
}

/** A run in a conversation of this member, or of nobody. */
async function runOf(member: string | null): Promise<Run> {
  const { id: contactId } = await aContact(ctx);
  const { id: numberId } = await aNumber(ctx, { name: `N ${contactId}` });
  const conversationId = await aConversation(ctx, { numberId, contactId });
  const set = 'update conversations set assigned_member_id = $2 where id = $1';
  await rowsOf(ctx, set, [conversationId, member]);
  return { id: await aRun(ctx, { automationId, contactId, conversationId }), contactId };
}

const listed = async (as: string): Promise<string[]> =>
  (await call('GET', `/automations/${automationId}/runs`, as)).body.data.map(({ id }) => id);

describe('the runs of an automation', () => {
  it('are seen by whoever sees their conversation; those in none, by all', async () => {
    const { id: own } = await runOf(narrow.id);
    const { id: others } = await runOf(null);
    const { id: contactId } = await aContact(ctx);
    const without = await aRun(ctx, { automationId, contactId });

    expect(await listed(narrow.token)).toEqual([without, own]);
    expect(await listed(key)).toEqual([without, others, own]);
    for (const [method, path] of [
      ['GET', `/runs/${others}`],
      ['POST', `/runs/${others}/cancel`],
    ] as const)
      expect((await call(method, path, narrow.token)).status).toBe(404);
    expect((await call('GET', `/runs/${others}`, key)).body.status).toBe('waiting');
  });

  it('of a deleted contact are seen by those alone who see the whole workspace, for few may have seen its conversation', async () => {
    const { id, contactId } = await runOf(null);

    await deleteContact(ctx, contactId, []);

    expect([await listed(key), await listed(narrow.token)]).toEqual([[id], []]);
    expect((await call('GET', `/runs/${id}`, narrow.token)).status).toBe(404);
  });
});
