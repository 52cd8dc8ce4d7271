import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Context } from '../../src/context.ts';
import { handOver } from '../../src/conversations/assignment/handing-over.ts';
import { transferConversation } from '../../src/conversations/assignment/transferring.ts';
import { returnStep } from '../../src/conversations/rules.ts';
import { createContext } from '../../src/db/contexts.ts';
import { transact } from '../../src/db/transact.ts';
import { updateMember } from '../../src/members/changing.ts';
import { setPresence } from '../../src/members/presence.ts';
import { updateTeam } from '../../src/members/teams.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation } from '../support/factories/conversations.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { openDoor } from '../support/http.ts';
import { aMember } from '../support/members.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import { runUpkeep } from '../support/upkeep.ts';

const NOON = new Date('2026-11-21T12:00:00.000Z');
const later = (minutes: number): Date => new Date(NOON.getTime() + minutes * 60_000);

const door = opened(() => openDoor({ routes: [] }));
let ctx: Context;
let teamId: string;
let bia: string;
let caio: string;

beforeEach(async () => {
  ({ ctx } = await aWorkspace(door.database, { now: NOON }));
  const first = await aMember(ctx, { teams: ['Vendas'] });
  bia = first.id;
  teamId = first.teamIds[0] ?? '';
  caio = (await aMember(ctx, { teams: ['Vendas'] })).id;
  await updateTeam(at(NOON), teamId, { returnAfterMinutes: 10 });
});

const at = (now: Date): Context =>
  createContext(door.api.deps, { organizationId: ctx.organizationId, actor: ctx.actor, now });

const rows = <R>(text: string, params: unknown[] = []) => rowsOf<R>(ctx, text, params);

/** A person who has been waiting since noon; the conversation is Bia's unless told. */
async function waiting(memberId: string | null = bia): Promise<string> {
  const numberId = (await aNumber(ctx)).id;
  const id = await aConversation(ctx, { numberId, contactId: (await aContact(ctx)).id });
  await rows(
    `update conversations set waiting_since = $2, assigned_team_id = $3, assigned_member_id = $4 where id = $1`,
    [id, NOON, teamId, memberId],
  );
  return id;
}

const online = (memberId: string): Promise<unknown> =>
  setPresence(at(NOON), memberId, { online: true, forMs: 24 * 3_600_000 });

const tend = (now: Date): Promise<void> =>
  runUpkeep({
    workflow: 'tendAssignments',
    history: 'tend-assignments',
    database: door.database,
    now,
  });

const assigned = async (id: string): Promise<string | null | undefined> =>
  (
    await rows<{ member: string | null }>(
      'select assigned_member_id as member from conversations where id = $1',
      [id],
    )
  )[0]?.member;

const lines = (id: string): Promise<unknown[]> =>
  rows(
    `select type, data ->> 'member_id' as member, created_at as at from conversation_activities
     where conversation_id = $1 order by id`,
    [id],
  );

const steps = async (id: string): Promise<unknown[]> =>
  (await lines(id)).map((line) => (line as { type: string }).type);

describe('the return timer of a team', () => {
  it('gives what nobody answers to the next member, then to the team, then alerts once', async () => {
    await online(caio);
    const id = await waiting();

    await tend(later(9.9));
    expect(await assigned(id)).toBe(bia);
    await tend(later(10));
    await tend(later(10));
    expect(await assigned(id)).toBe(caio);
    await tend(later(19.9));
    expect(await assigned(id)).toBe(caio);
    await tend(later(20));
    expect(await assigned(id)).toBeNull();
    await tend(later(30));
    await tend(later(300));

    expect(await lines(id)).toEqual([
      { type: 'returned', member: caio, at: later(10) },
      { type: 'returned', member: null, at: later(20) },
      { type: 'unanswered', member: null, at: later(30) },
    ]);
    expect(
      await rows(
        `select changes from audit_entries where action = 'conversation.returned' order by seq`,
      ),
    ).toEqual([
      { changes: [{ field: 'assigned_member_id', from: bia, to: caio }] },
      { changes: [{ field: 'assigned_member_id', from: caio, to: null }] },
    ]);
  });

  it('gives it to the team at once where nobody else is there with room', async () => {
    await updateMember(at(NOON), caio, { capacity: 0 });
    await online(caio);
    const id = await waiting();

    await tend(later(10));

    expect(await lines(id)).toEqual([{ type: 'returned', member: null, at: later(10) }]);
  });

  it('begins anew when somebody transfers it, and again when the person writes after an answer', async () => {
    const id = await waiting();
    await tend(later(10));
    await tend(later(20));
    await transferConversation(at(later(25)), id, { team_id: teamId, member_id: bia });

    await tend(later(34.9));
    expect(await assigned(id)).toBe(bia);
    await tend(later(35));
    expect(await assigned(id)).toBeNull();
    await rows('update conversations set waiting_since = null where id = $1', [id]);
    await tend(later(100));
    await rows(
      'update conversations set waiting_since = $2, assigned_member_id = $3 where id = $1',
      [id, later(100), caio],
    );
    await tend(later(110));

    expect(await steps(id)).toEqual([
      'returned',
      'unanswered',
      'transferred',
      'returned',
      'returned',
    ]);
  });

  it('alerts when nobody of the team takes what was answered and transferred to it', async () => {
    const id = await waiting();
    await rows('update conversations set waiting_since = null where id = $1', [id]);
    await transferConversation(at(later(5)), id, { team_id: teamId });

    await tend(later(14.9));
    expect(await steps(id)).toEqual(['transferred']);
    await tend(later(15));

    expect(await steps(id)).toEqual(['transferred', 'unanswered']);
  });

  it('begins anew, once, when the queue finds somebody after an alert', async () => {
    await updateTeam(at(NOON), teamId, { autoAssign: true });
    const id = await waiting(null);
    await tend(later(10));
    await setPresence(at(later(600)), bia, { online: true, forMs: 24 * 3_600_000 });
    expect(await assigned(id)).toBe(bia);
    await setPresence(at(later(601)), caio, { online: true, forMs: 24 * 3_600_000 });

    await tend(later(609.9));
    expect(await assigned(id)).toBe(bia);
    await tend(later(610));
    expect(await assigned(id)).toBe(caio);
    for (const minutes of [620, 630, 640, 650]) await tend(later(minutes));

    const round = ['assigned', 'returned', 'returned', 'assigned', 'unanswered'];
    expect(await steps(id)).toEqual(['unanswered', ...round]);
  });

  it('begins anew when an automation hands it over', async () => {
    await online(caio);
    const id = await waiting(null);
    await tend(later(10));
    const toBia = { teamId, memberId: bia, note: '' };
    await transact(at(later(30)), (tx) => handOver(tx, id, toBia));

    await tend(later(39.9));
    expect(await assigned(id)).toBe(bia);
    await tend(later(40));

    expect(await assigned(id)).toBe(caio);
    expect(await steps(id)).toEqual(['unanswered', 'handed_over', 'returned']);
  });

  it('leaves whoever was handed it by an automation the whole of the minutes', async () => {
    const id = await waiting(null);
    const toBia = { teamId, memberId: bia, note: '' };
    await transact(at(later(30)), (tx) => handOver(tx, id, toBia));

    await tend(later(31));

    expect(await assigned(id)).toBe(bia);
  });

  it('leaves alone teams that did not turn it on, and snoozed conversations', async () => {
    const id = await waiting();
    await rows('update conversations set snoozed_until = $2 where id = $1', [id, later(60)]);
    await tend(later(59));
    await updateTeam(at(NOON), teamId, { returnAfterMinutes: null });
    await tend(later(90));

    expect(await lines(id)).toEqual([]);
    for (const minutes of [0, 1_441])
      await expect(
        updateTeam(at(NOON), teamId, { returnAfterMinutes: minutes }),
      ).rejects.toMatchObject({ code: 'validation', details: [{ path: 'return_after_minutes' }] });
  });

  it('gives out what waits in a queue when its snooze is over', async () => {
    await updateTeam(at(NOON), teamId, { returnAfterMinutes: null, autoAssign: true });
    const id = await waiting(null);
    await rows('update conversations set snoozed_until = $2 where id = $1', [id, later(60)]);
    await online(caio);

    await tend(later(59));
    expect(await assigned(id)).toBeNull();
    await tend(later(60));

    expect(await assigned(id)).toBe(caio);
  });

  it.each([
    [{ hasMember: true, toMember: false, toTeam: false }, 'next_member'],
    [{ hasMember: true, toMember: true, toTeam: false }, 'team'],
    [{ hasMember: false, toMember: true, toTeam: true }, 'alert'],
    [{ hasMember: false, toMember: false, toTeam: false }, 'alert'],
    [{ hasMember: true, toMember: true, toTeam: true }, 'alert'],
  ] as const)('goes from %j to %s', (returned, step) => {
    expect(returnStep(returned)).toBe(step);
  });
});
