import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Context } from '../../src/context.ts';
import type { Database } from '../../src/db/database.ts';
import { updateMember } from '../../src/members/changing.ts';
import { addMember } from '../../src/members/service.ts';
import { addTeam, updateTeam } from '../../src/members/teams.ts';
import { createWorkspace } from '../../src/workspaces/service.ts';
import { openOwnDatabase } from '../support/database.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { aMember } from '../support/members.ts';

let database: Database;
let ctx: Context;
let memberId: string;
let teamId: string;

beforeAll(async () => {
  database = await openOwnDatabase();
  ({ ctx } = await aWorkspace(database));
  const member = await aMember(ctx, { role: 'viewer', teams: ['Vendas'] });
  memberId = member.id;
  teamId = member.teamIds[0] ?? '';
});
afterAll(() => database.close());

let people = 0;
const NAMED: Readonly<
  Record<string, readonly [longest: number, name: (name: string) => Promise<unknown>]>
> = {
  'a new member': [
    120,
    (name) => {
      people += 1;
      return addMember(ctx, { email: `p${people}@example.com`, name, role: 'viewer' });
    },
  ],
  'a member': [120, (name) => updateMember(ctx, memberId, { name })],
  'a team of a member': [60, (name) => updateMember(ctx, memberId, { teams: [name] })],
  'a new team': [60, (name) => addTeam(ctx, name.replace(/🥐$/u, '🍞'))],
  'a team': [60, (name) => updateTeam(ctx, teamId, { name: name.replace(/🥐$/u, '🥖') })],
  'a workspace': [
    80,
    (name) => {
      const rest = { plan: 'essencial', ownerEmail: 'ana@example.com' };
      return createWorkspace({ database, wake: () => {} }, { name, ...rest }, { now: ctx.now });
    },
  ],
};

describe.each(Object.entries(NAMED))('the name of %s', (_, [longest, name]) => {
  it('is counted in characters, not in halves of them', async () => {
    await expect(name('🥐'.repeat(longest))).resolves.toBeDefined();
    await expect(name('🥐'.repeat(longest + 1))).rejects.toMatchObject({ code: 'validation' });
  });

  it('is not made of what nobody sees', async () => {
    for (const unseen of ['', '  ', '\u200b\u2060'])
      await expect(name(unseen)).rejects.toMatchObject({ code: 'validation' });
  });
});
