import { describe, expect, it } from '@jest/globals';
import type { MemberActor } from '../../src/access/actor.ts';
import { permissionsOf, type Role } from '../../src/access/roles.ts';
import type { Context } from '../../src/context.ts';
import { createContext } from '../../src/db/contexts.ts';
import { transact } from '../../src/db/transact.ts';
import { reactivateMember, suspendMember, updateMember } from '../../src/members/changing.ts';
import { presenceOf, setPresence, stayOnline } from '../../src/members/presence.ts';
import { removeMember } from '../../src/members/removing.ts';
import { addMember } from '../../src/members/service.ts';
import { openOwnDatabase } from '../support/database.ts';
import { aWorkspace, type WorkspaceWishes } from '../support/factories/workspaces.ts';
import { aMember } from '../support/members.ts';
import { opened } from '../support/opened.ts';
import { auditOf, rowsOf } from '../support/rows-of.ts';

let ctx: Context;
let ownerId: string;

const database = opened(openOwnDatabase);

const begin = async (wishes: WorkspaceWishes = {}): Promise<void> => {
  ({ ctx, ownerId } = await aWorkspace(database, wishes));
};

/** What happened to a member since they came. */
const log = async (id: string) => (await auditOf(ctx, id)).slice(1);

/** As each request has one of its own. */
const again = (): Context =>
  createContext(
    { database, wake: () => {} },
    { organizationId: ctx.organizationId, actor: ctx.actor, now: ctx.now },
  );

/** The same workspace, as this member works in it. */
const as = (id: string, role: Role): Context => {
  const actor: MemberActor = {
    type: 'member',
    id,
    name: 'Ela',
    role,
    visibility: 'workspace',
    teamIds: [],
    numberIds: [],
    permissions: permissionsOf(role, []),
    credentialId: 'ses_1',
    app: null,
  };
  const { organizationId, now } = ctx;
  return createContext({ database, wake: () => {} }, { organizationId, actor, now });
};

describe('suspending a member', () => {
  it('gives the seat back, which reactivating has to find free', async () => {
    await begin({ plan: 'essencial' });
    const { id } = await aMember(ctx);
    await aMember(ctx);
    await suspendMember(ctx, id);
    const third = await aMember(ctx);

    await expect(reactivateMember(ctx, id)).rejects.toMatchObject({ code: 'quota' });
    await suspendMember(ctx, third.id);
    await expect(reactivateMember(ctx, id)).resolves.toMatchObject({ status: 'active' });
    expect((await log(id)).map(({ action }) => action)).toEqual([
      'member.suspended',
      'member.reactivated',
    ]);
  });

  it('leaves whoever never came in invited', async () => {
    await begin();
    const wishes = { email: 'bia@example.com', name: 'Bia', role: 'agent' } as const;
    const { id } = await addMember(ctx, wishes);

    await suspendMember(ctx, id);

    await expect(reactivateMember(ctx, id)).resolves.toMatchObject({ status: 'invited' });
  });

  it('is possible once, and so is reactivating', async () => {
    await begin();
    const { id } = await aMember(ctx);

    await expect(reactivateMember(ctx, id)).rejects.toMatchObject({ code: 'invalid_state' });
    await suspendMember(ctx, id);
    await expect(suspendMember(ctx, id)).rejects.toMatchObject({
      code: 'invalid_state',
      details: { status: 'suspended', allowed: ['invited', 'active'] },
    });
  });
});

describe('the last Owner', () => {
  it.each<[string, (id: string) => Promise<unknown>]>([
    ['made something else', (id) => updateMember(ctx, id, { role: 'admin' })],
    ['suspended', (id) => suspendMember(ctx, id)],
    ['removed', (id) => removeMember(ctx, id)],
  ])('is not %s, though a suspended or an invited Owner is left', async (_, leave) => {
    await begin();
    const last = await aMember(ctx, { role: 'owner' });
    const { id } = await aMember(ctx, { role: 'owner' });
    await suspendMember(ctx, id);

    await expect(leave(last.id)).rejects.toMatchObject({ code: 'last_owner' });

    expect(await rowsOf(ctx, 'select role, status from members where id = $1', [last.id])).toEqual([
      { role: 'owner', status: 'active' },
    ]);
  });

  it('stays when all of them leave at the same moment', async () => {
    await begin();
    const owners = [ownerId];
    for (let i = 0; i < 5; i++) owners.push((await aMember(ctx, { role: 'owner' })).id);

    const left = await Promise.allSettled(
      owners.map((id, i) => {
        const own = again();
        if (i % 3 === 0) return removeMember(own, id);
        return i % 3 === 1 ? suspendMember(own, id) : updateMember(own, id, { role: 'viewer' });
      }),
    );

    const refused = left.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []));
    expect(refused).toEqual(['last_owner']);
    expect(
      await rowsOf(ctx, "select 1 from members where role = 'owner' and status <> 'suspended'"),
    ).toHaveLength(1);
  });
});

describe('an Admin', () => {
  it('manages people, but touches no Owner and makes none', async () => {
    await begin();
    const { id } = await aMember(ctx, { role: 'admin' });
    const agent = await aMember(ctx);
    const admin = as(id, 'admin');
    const newOwner = { email: 'o@example.com', name: 'O', role: 'owner' } as const;

    for (const attempt of [
      () => updateMember(admin, ownerId, { name: 'X' }),
      () => suspendMember(admin, ownerId),
      () => removeMember(admin, ownerId),
      () => updateMember(admin, agent.id, { role: 'owner' }),
      () => addMember(admin, newOwner),
    ])
      await expect(attempt()).rejects.toMatchObject({ code: 'forbidden' });

    await expect(updateMember(admin, agent.id, { role: 'admin' })).resolves.toMatchObject({
      role: 'admin',
    });
    await expect(addMember(as(ownerId, 'owner'), newOwner)).resolves.toMatchObject({
      role: 'owner',
    });
  });

  it('is needed: an Agent manages nobody', async () => {
    await begin();
    const agent = await aMember(ctx);

    await expect(
      updateMember(as(agent.id, 'agent'), agent.id, { role: 'admin' }),
    ).rejects.toMatchObject({ code: 'forbidden', details: { permission: 'members.manage' } });
  });
});

describe('presence', () => {
  const online = (id: string): Promise<unknown[]> =>
    rowsOf(ctx, 'select 1 from members where id = $1 and online_until > $2', [id, ctx.now]);

  it('lasts three minutes, is said again without a trace, and ends when the person goes', async () => {
    await begin();
    const { id } = await aMember(ctx);

    const there = await setPresence(ctx, id, { online: true });
    await setPresence(ctx, id, { online: true });
    expect(there.onlineUntil).toEqual(new Date(ctx.now.getTime() + 180_000));
    expect(await online(id)).toHaveLength(1);
    await setPresence(ctx, id, { online: false });

    expect(await online(id)).toEqual([]);
    expect((await log(id)).map(({ action }) => action)).toEqual([
      'member.came_online',
      'member.went_offline',
    ]);
  });

  it('is a person’s own to say, and of nobody who cannot sign in', async () => {
    await begin();
    const one = await aMember(ctx);
    const other = await aMember(ctx);

    await expect(
      setPresence(as(one.id, 'agent'), other.id, { online: true }),
    ).rejects.toMatchObject({ code: 'forbidden' });
    await expect(setPresence(as(one.id, 'agent'), one.id, { online: true })).resolves.toMatchObject(
      { id: one.id },
    );
    await suspendMember(ctx, one.id);
    expect(await online(one.id)).toEqual([]);
    await expect(setPresence(ctx, one.id, { online: true })).rejects.toMatchObject({
      code: 'invalid_state',
    });
  });

  it('is renewed for nobody who can answer no more', async () => {
    await begin();
    const gone = await aMember(ctx);
    const viewer = await aMember(ctx, { role: 'viewer' });
    await suspendMember(ctx, gone.id);

    for (const { id } of [gone, viewer]) {
      await stayOnline(ctx, { id, signedInAt: ctx.now });
      expect(await online(id)).toEqual([]);
    }
  });

  it('said away before a new sign-in is taken back everywhere by using that one', async () => {
    await begin();
    const { id } = await aMember(ctx);
    const later = { ...ctx, now: new Date(ctx.now.getTime() + 60_000) };
    const isAway = async (): Promise<boolean> =>
      (await transact(ctx, (tx) => presenceOf(tx, { id, signedInAt: ctx.now }))).isAway;
    await setPresence(ctx, id, { online: false });
    const before = await isAway();

    await stayOnline(later, { id, signedInAt: later.now });

    expect([before, await isAway()]).toEqual([true, false]);
    expect(await online(id)).toHaveLength(1);
  });
});
