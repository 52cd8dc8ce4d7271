import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Context } from '../../src/context.ts';
import { closeConversation, reopenConversation } from '../../src/conversations/service.ts';
import { createContext } from '../../src/db/contexts.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { changeSettings } from '../../src/workspaces/settings.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation } from '../support/factories/conversations.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { openDoor } from '../support/http.ts';
import { opened } from '../support/opened.ts';
import { factsOf, rowsOf } from '../support/rows-of.ts';
import { runUpkeep } from '../support/upkeep.ts';

const HOUR_MS = 3_600_000;
const NOON = new Date('2026-11-21T12:00:00.000Z');
const later = (hours: number): Date => new Date(NOON.getTime() + hours * HOUR_MS);

const door = opened(() => openDoor({ routes: [] }));
let ctx: Context;
let numberId: string;

beforeEach(async () => {
  ({ ctx } = await aWorkspace(door.database, { now: NOON }));
  numberId = (await aNumber(ctx)).id;
});

const at = (now: Date): Context =>
  createContext(door.api.deps, { organizationId: ctx.organizationId, actor: ctx.actor, now });

const begun = async (): Promise<string> =>
  aConversation(ctx, { numberId, contactId: (await aContact(ctx)).id });

const closeIdle = (now: Date): Promise<void> =>
  runUpkeep({
    workflow: 'closeIdleConversations',
    history: 'close-idle-conversations',
    database: door.database,
    now,
  });

const rows = <R>(text: string, params: unknown[] = []) => rowsOf<R>(ctx, text, params);

const openOnes = (): Promise<unknown[]> =>
  rows(`select id from conversations where status = 'open'`);

describe('idle closing', () => {
  it('closes each conversation once, as the system, with its event, its line and its entry', async () => {
    const ids = [];
    for (let n = 0; n < 23; n++) ids.push(await begun());
    await changeSettings(ctx, { idle_close_hours: 24 });

    await closeIdle(later(24));
    await closeIdle(later(25));

    expect(await openOnes()).toEqual([]);
    const told = await factsOf(ctx, 'conversation.closed');
    expect(told.map(({ conversation_id: id }) => id).sort()).toEqual(ids.sort());
    expect(new Set(told.map(({ closed_by: by }) => JSON.stringify(by)))).toEqual(
      new Set([JSON.stringify({ type: 'system', id: null, name: 'idle closing' })]),
    );
    expect(await rows(`select 1 from conversation_activities where type = 'closed'`)).toHaveLength(
      23,
    );
    expect(
      await rows(`select 1 from audit_entries where action = 'conversation.closed'`),
    ).toHaveLength(23);
  });

  it('leaves a conversation of a moment less, and every one of a workspace that did not ask for it', async () => {
    const { ctx: other } = await aWorkspace(door.database, { now: NOON });
    const pair = { numberId: (await aNumber(other)).id, contactId: (await aContact(other)).id };
    await aConversation(other, pair);
    const id = await begun();
    await changeSettings(ctx, { idle_close_hours: 24 });

    await closeIdle(new Date(later(24).getTime() - 1));

    expect(await openOnes()).toEqual([{ id }]);
    await closeIdle(later(1_000));
    expect(await openOnes()).toEqual([]);
    const left = await inWorkspace(door.database, other.organizationId, (sql) =>
      sql.rows(`select status from conversations`),
    );
    expect(left).toEqual([{ status: 'open' }]);
  });

  it('counts from the last message, from reopening, and not while a conversation is snoozed', async () => {
    const talked = await begun();
    const reopened = await begun();
    const snoozed = await begun();
    await rows('update conversations set last_message_at = $2 where id = $1', [talked, later(3)]);
    await closeConversation(at(later(1)), reopened);
    await reopenConversation(at(later(4)), reopened);
    await rows('update conversations set last_message_at = $2 where id = $1', [reopened, NOON]);
    await rows('update conversations set snoozed_until = $2 where id = $1', [snoozed, later(5)]);
    await changeSettings(ctx, { idle_close_hours: 2 });

    await closeIdle(later(4.5));
    expect(await openOnes()).toHaveLength(3);
    await closeIdle(later(5));

    expect(await openOnes()).toEqual([{ id: reopened }]);
    await closeIdle(later(6));
    expect(await openOnes()).toEqual([]);
  });

  it('is off until somebody sets 1 to 720 hours, which the log says', async () => {
    for (const hours of [0, 721, 1.5, Number.NaN])
      await expect(changeSettings(ctx, { idle_close_hours: hours })).rejects.toMatchObject({
        code: 'validation',
        details: [{ path: 'idle_close_hours' }],
      });
    await changeSettings(ctx, { idle_close_hours: 720 });
    await changeSettings(ctx, { idle_close_hours: 720 });
    await changeSettings(ctx, { idle_close_hours: null });

    expect(
      await rows(
        `select changes from audit_entries where action = 'workspace.updated' order by seq`,
      ),
    ).toEqual([
      { changes: [{ field: 'idle_close_hours', from: null, to: 720 }] },
      { changes: [{ field: 'idle_close_hours', from: 720, to: null }] },
    ]);
  });
});
