import { randomBytes } from 'node:crypto';
import type { MemberActor, Visibility } from '../../src/access/actor.ts';
import type { PermissionOption, Role } from '../../src/access/roles.ts';
import { SCOPE_NAMES, type Scope } from '../../src/access/scopes.ts';
import type { Context } from '../../src/context.ts';
import { transact } from '../../src/db/transact.ts';
import type { KnownToken } from '../../src/http/callers/authenticate.ts';
import { addMember } from '../../src/members/service.ts';

export interface MemberWishes {
  readonly role?: Role;
  readonly visibility?: Visibility;
  /** Names; found, or created. */
  readonly teams?: readonly string[];
  /** Permissions switched on for an Agent. */
  readonly options?: readonly PermissionOption[];
  /** What the person granted to the app; every scope unless told. */
  readonly scopes?: readonly Scope[];
  /** Without an app between: the console, where permissions alone decide. */
  readonly console?: boolean;
}

export interface TestMember {
  readonly id: string;
  /** In the order of the names. */
  readonly teamIds: readonly string[];
  readonly credentialId: string;
  /** For `door.api.call(…, { key: token })`. */
  readonly token: string;
}

/** Somebody of a workspace, for what asks only who acts; through an app unless `console`. */
export const memberActor = ({ console = false } = {}): MemberActor => ({
  type: 'member',
  id: 'mem_1',
  name: 'Ana',
  role: 'agent',
  visibility: 'workspace',
  teamIds: [],
  numberIds: [],
  permissions: new Set(),
  credentialId: 'cxn_1',
  app: console ? null : { id: 'app_1', name: 'Planilhas', scopes: new Set() },
});

const tokens = new Map<string, KnownToken>();

/** Stands in for the check of a signature; whatever follows it is the door's own. */
export const findTestMember = async (token: string): Promise<KnownToken | null> =>
  tokens.get(token) ?? null;

/** Another token of the same person, through an app of its own unless `console`. */
export function aToken(
  organizationId: string,
  memberId: string,
  { scopes = SCOPE_NAMES, console = false }: Pick<MemberWishes, 'scopes' | 'console'> = {},
): Pick<TestMember, 'token' | 'credentialId'> {
  const suffix = randomBytes(8).toString('hex');
  const token = `test.${suffix}`;
  const credentialId = `cxn_${suffix}`;
  const app = console ? null : { id: `app_${suffix}`, name: 'Planilhas', scopes: new Set(scopes) };
  tokens.set(token, { organizationId, memberId, credentialId, app });
  return { token, credentialId };
}

/** The connection behind such a token, for what asks whether the app is still connected. */
export async function standConnected(
  ctx: Context,
  memberId: string,
  { credentialId }: Pick<TestMember, 'credentialId'>,
): Promise<void> {
  const clientId = credentialId.replace('cxn_', 'app_');
  await transact(ctx, async ({ sql, organizationId }) => {
    await sql.rows(
      `insert into oauth_clients (id, organization_id, source, name, metadata, scopes, created_at)
       values ($2, $1, 'app', 'Planilhas', '{"redirect_uris": []}', '{}', now())`,
      [organizationId, clientId],
    );
    await sql.rows(
      `insert into oauth_connections (organization_id, id, client_id, member_id, created_at) values ($1, $2, $3, $4, now())`,
      [organizationId, credentialId, clientId, memberId],
    );
  });
}

/** A person of the workspace who can sign in, with a token that `openDoor` and `serveApi` accept. */
export async function aMember(ctx: Context, wishes: MemberWishes = {}): Promise<TestMember> {
  const { role = 'agent', visibility = 'workspace', teams = [], options = [] } = wishes;
  const { id } = await addMember(ctx, {
    name: `Pessoa ${role}`,
    email: `${randomBytes(6).toString('hex')}@example.com`,
    role,
    visibility,
    teams,
  });
  const teamIds = await transact(ctx, async ({ sql, organizationId }) => {
    // An invitation is accepted with a password; hashing one for each test would cost more than the test.
    await sql.rows(
      "update members set status = 'active', joined_at = now(), options = $3 where organization_id = $1 and id = $2",
      [organizationId, id, options],
    );
    const rows = await sql.rows<{ team_id: string }>(
      `select id as team_id from teams where organization_id = $1 and name = any($2::text[])
       order by array_position($2::text[], name)`,
      [organizationId, teams],
    );
    return rows.map((row) => row.team_id);
  });
  return { id, teamIds, ...aToken(ctx.organizationId, id, wishes) };
}
