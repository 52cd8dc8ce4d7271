import { randomBytes } from 'node:crypto';
import { type Actor, system } from '../../../src/access/actor.ts';
import type { Context, Wake } from '../../../src/context.ts';
import { createContext } from '../../../src/db/contexts.ts';
import type { Database } from '../../../src/db/database.ts';
import { createWorkspace } from '../../../src/workspaces/service.ts';

export interface WorkspaceWishes {
  readonly name?: string;
  readonly plan?: 'essencial' | 'profissional' | 'escala';
  readonly now?: Date;
  readonly actor?: Actor;
  readonly wake?: Wake;
}

/** A new workspace with its owner, and a context bound to it. */
export async function aWorkspace(
  database: Database,
  wishes: WorkspaceWishes = {},
): Promise<{ ctx: Context; workspaceId: string; ownerId: string }> {
  const now = wishes.now ?? new Date();
  const actor = wishes.actor ?? system('tests');
  const parts = { database, wake: wishes.wake ?? (() => {}) };
  const { workspaceId, ownerMemberId } = await createWorkspace(
    parts,
    {
      name: wishes.name ?? 'Padaria Aurora',
      plan: wishes.plan ?? 'escala',
      ownerEmail: `dona-${randomBytes(4).toString('hex')}@example.com`,
    },
    { now, actor },
  );
  const ctx = createContext(parts, { organizationId: workspaceId, actor, now });
  return { ctx, workspaceId, ownerId: ownerMemberId };
}
