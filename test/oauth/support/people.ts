import type { Context } from '../../../src/context.ts';
import { inWorkspace } from '../../../src/db/database.ts';
import { createApp } from '../../../src/oauth/apps/service.ts';
import type { Approval } from '../../../src/oauth/consent/approving.ts';
import { aWorkspace } from '../../support/factories/workspaces.ts';
import { aMember, type MemberWishes } from '../../support/members.ts';
import type { OAuthScene } from './scene.ts';

export interface Person {
  readonly ctx: Context;
  readonly memberId: string;
  /** Their answer at the consent page: everything that is listed. */
  approval(scopes: readonly string[], signedInAt?: Date): Approval;
}

/** A member of a workspace of their own, unless one is given. */
export async function aPerson(
  { database }: Pick<OAuthScene, 'database'>,
  wishes: MemberWishes & { ctx?: Context } = {},
): Promise<Person> {
  const ctx = wishes.ctx ?? (await aWorkspace(database)).ctx;
  const { organizationId } = ctx;
  const { id: memberId } = await aMember(ctx, { role: 'admin', ...wishes });
  const [row] = await inWorkspace(database, organizationId, (sql) =>
    sql.rows<{ user_id: string }>('select user_id from members where id = $1', [memberId]),
  );
  const userId = row?.user_id ?? '';
  return {
    ctx,
    memberId,
    approval: (scopes, signedInAt = new Date()) => ({
      organizationId,
      memberId,
      session: { id: 'ses_test', userId, signedInAt },
      scopes,
    }),
  };
}

export const REDIRECT = 'https://app.example.com/callback';

/** An app of the developer settings. */
export const anApp = (
  ctx: Context,
  scopes: readonly string[] = ['contacts:read', 'contacts:write', 'campaigns:send'],
): Promise<{ id: string; secret: string }> =>
  createApp(ctx, { name: 'Planilhas', redirectUris: [REDIRECT, 'http://127.0.0.1/cb'], scopes });
