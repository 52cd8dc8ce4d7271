import { describe, expect, it } from '@jest/globals';
import { system } from '../../src/access/actor.ts';
import { verifyChain } from '../../src/audit/verify.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { listMembers } from '../../src/members/reading.ts';
import { planOf } from '../../src/workspaces/plans.ts';
import { createWorkspace, setPlan, timeZoneOf } from '../../src/workspaces/service.ts';
import { openOwnDatabase } from '../support/database.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { opened } from '../support/opened.ts';

const database = opened(openOwnDatabase);

const parts = () => ({ database, wake: () => {} });

describe('a new workspace', () => {
  it('has the plan it was given, the Brazilian time zone, and its owner as only member', async () => {
    const { workspaceId, ownerMemberId } = await createWorkspace(
      parts(),
      {
        name: 'Padaria Aurora',
        plan: 'profissional',
        ownerEmail: 'ana@example.com',
        ownerPassword: 'uma senha comprida',
      },
      { now: new Date('2026-11-21T12:00:00Z') },
    );

    const found = await inWorkspace(database, workspaceId, async (sql) => {
      const ctx = { sql, organizationId: workspaceId };
      const actor = system('tests');
      return {
        plan: await planOf(ctx),
        timeZone: await timeZoneOf(ctx),
        members: await listMembers(
          { ...ctx, actor, request: null, now: new Date() },
          { limit: 10, after: null },
        ),
      };
    });

    expect(found.plan).toMatchObject({ name: 'profissional', numbers: 5, maxPace: 600 });
    expect(found.timeZone).toBe('America/Sao_Paulo');
    expect(found.members.data).toEqual([
      {
        id: ownerMemberId,
        name: 'ana',
        email: 'ana@example.com',
        role: 'owner',
        seat: true,
        visibility: 'workspace',
        team_ids: [],
        status: 'active',
        online: false,
        created_at: '2026-11-21T12:00:00.000Z',
      },
    ]);
  });

  it('lets its first owner in at once, also one who has an account: nobody could invite them', async () => {
    const wish = { plan: 'escala', ownerEmail: 'rui@example.com', ownerPassword: 'senha comprida' };
    const at = { now: new Date() };
    const first = await createWorkspace(parts(), { name: 'Padaria Aurora', ...wish }, at);

    const second = await createWorkspace(parts(), { name: 'Oficina Sul', ...wish }, at);

    const found = await inWorkspace(database, second.workspaceId, (sql) =>
      sql.rows('select status, joined_at from members'),
    );
    expect(found).toEqual([{ status: 'active', joined_at: at.now }]);
    expect([first, second].map(({ ownerHasAccount }) => ownerHasAccount)).toEqual([false, true]);
  });

  it.each([
    ['plan', { name: 'A', plan: 'gold', ownerEmail: 'a@example.com' }],
    ['name', { name: '  ', plan: 'escala', ownerEmail: 'a@example.com' }],
    ['email', { name: 'A', plan: 'escala', ownerEmail: 'nobody' }],
    [
      'time_zone',
      { name: 'A', plan: 'escala', ownerEmail: 'a@example.com', timeZone: 'Mars/Base' },
    ],
    ['language', { name: 'A', plan: 'escala', ownerEmail: 'a@example.com', language: 'x' }],
    [
      'password',
      { name: 'A', plan: 'escala', ownerEmail: 'a@example.com', ownerPassword: 'short' },
    ],
  ])('is refused, and leaves nothing behind, when its %s is not valid', async (path, input) => {
    const count = async () => (await database.system.query('select 1 from workspaces')).rowCount;
    const before = await count();

    const attempt = createWorkspace(parts(), input, { now: new Date() });

    await expect(attempt).rejects.toMatchObject({
      code: 'validation',
      details: [expect.objectContaining({ path })],
    });
    expect(await count()).toBe(before);
  });
});

describe('changing the plan', () => {
  it('takes effect at once and stands in the audit log', async () => {
    const { ctx, workspaceId } = await aWorkspace(database, { plan: 'essencial' });

    await setPlan(ctx, 'escala');

    const seen = await inWorkspace(database, workspaceId, async (sql) => ({
      plan: await planOf({ sql, organizationId: workspaceId }),
      chain: await verifyChain({ sql, organizationId: workspaceId }),
      entries: await sql.rows(
        "select changes from audit_entries where action = 'workspace.plan_changed'",
      ),
    }));
    expect(seen.plan.name).toBe('escala');
    expect(seen.entries).toEqual([
      { changes: [{ field: 'plan', from: 'essencial', to: 'escala' }] },
    ]);
    expect(seen.chain.brokenAt).toBeNull();
  });

  it('to the one that it has changes nothing, so that old messages are dropped when they were to be', async () => {
    const { ctx, workspaceId } = await aWorkspace(database, { plan: 'essencial' });

    const { plan, planChangedAt } = await setPlan(ctx, 'essencial');

    expect([plan, planChangedAt]).toEqual(['essencial', null]);
    const changed = "select 1 from audit_entries where action = 'workspace.plan_changed'";
    expect(await inWorkspace(database, workspaceId, (sql) => sql.rows(changed))).toEqual([]);
  });
});
