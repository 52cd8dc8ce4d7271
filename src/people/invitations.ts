import { audit } from '../audit/service.ts';
import type { Context } from '../context.ts';
import type { Clock } from '../db/clock.ts';
import type { Database } from '../db/database.ts';
import { inWorkspace } from '../db/database.ts';
import { first } from '../db/sql.ts';
import { transact } from '../db/transact.ts';
import { DAY_MS } from '../durations.ts';
import { AppError, invalidState, notFound } from '../errors.ts';
import type { Mailer } from '../mail/mailer.ts';
import type { Member } from '../members/entities.ts';
import { memberToChange } from '../members/managing.ts';
import { addMember, type NewMember } from '../members/service.ts';
import type { Attempts } from './attempts.ts';
import { invitationMail } from './mails.ts';
import { newToken, tokenHash } from './sessions.ts';

export interface InvitingParts {
  readonly mailer: Mailer | null;
  readonly baseUrl: string;
  readonly attempts: Pick<Attempts, 'invitation'>;
}

const VALID_MS = 7 * DAY_MS;

export interface Invited {
  readonly member: Member;
  /** False if no mail server accepted the mail: the person is invited, and the mail can be sent again. */
  readonly mailed: boolean;
}

/**
 * Adds a person who joins through a mailed link. Throws what `addMember` throws, and 409 `conflict` if too many
 * invitations were mailed.
 */
export async function inviteMember(
  ctx: Context,
  parts: InvitingParts,
  input: Omit<NewMember, 'password' | 'teams'>,
): Promise<Invited> {
  const { email, name, role, visibility, team_ids } = input;
  const made = await transact(ctx, async (tx) => {
    const member = await addMember(tx, {
      email,
      name,
      role,
      ...(visibility ? { visibility } : {}),
      ...(team_ids ? { team_ids } : {}),
    });
    const link = await newInvitation(tx, parts, member.id);
    await takeTurn(tx, parts, email);
    return { member, link };
  });
  return { member: made.member, mailed: await mail(ctx, parts, made) };
}

/**
 * Mails a new link to someone who has not joined yet, which invalidates the previous link. Throws 409 `conflict` if
 * too many were mailed; the previous link then stays valid.
 */
export async function inviteAgain(
  ctx: Context,
  parts: InvitingParts,
  memberId: string,
): Promise<Invited> {
  const made = await transact(ctx, async (tx) => {
    const renewed = await renewInvitation(tx, parts, memberId);
    await takeTurn(tx, parts, renewed.member.email);
    return renewed;
  });
  return { member: made.member, mailed: await mail(ctx, parts, made) };
}

/** A new link for someone who has not joined yet, which invalidates the previous one. */
export async function renewInvitation(
  tx: Context,
  parts: Pick<InvitingParts, 'baseUrl'>,
  memberId: string,
): Promise<{ readonly member: Member; readonly link: string }> {
  const member = await memberToChange(tx, memberId);
  if (member.status !== 'invited') throw invalidState(member.status, ['invited']);
  const link = await newInvitation(tx, parts, member.id);
  const target = { type: 'member', id: member.id, name: member.name };
  await audit(tx, { action: 'member.invited_again', target });
  return { member, link };
}

/** Three mails an hour to one person, a hundred from one workspace. */
async function takeTurn(
  { organizationId, now }: Context,
  { attempts }: InvitingParts,
  email: string,
): Promise<void> {
  const waitSeconds = await attempts.invitation({ organizationId, email });
  if (waitSeconds === 0) return;
  const minutes = Math.ceil(waitSeconds / 60);
  throw new AppError('conflict', `Too many invitations were sent. Try again in ${minutes} min.`, {
    possible_at: new Date(+now + waitSeconds * 1_000).toISOString(),
  });
}

/** The link by which the member joins within 7 days. It invalidates the previous one. */
export async function newInvitation(
  { sql, organizationId, now }: Context,
  { baseUrl }: Pick<InvitingParts, 'baseUrl'>,
  memberId: string,
): Promise<string> {
  const token = newToken();
  await sql.rows(
    `insert into invitations (organization_id, member_id, token_hash, created_at, expires_at) values ($1, $2, $3, $4, $5)
     on conflict (organization_id, member_id) do update
     set token_hash = excluded.token_hash, created_at = excluded.created_at, expires_at = excluded.expires_at`,
    [organizationId, memberId, tokenHash(token), now, new Date(now.getTime() + VALID_MS)],
  );
  return `${baseUrl}/invitations/${token}`;
}

async function mail(
  ctx: Context,
  { mailer }: InvitingParts,
  { member, link }: { readonly member: Member; readonly link: string },
): Promise<boolean> {
  if (!mailer) return false;
  const workspace = await transact(ctx, ({ sql, organizationId }) =>
    first<{ name: string; language: string }>(
      sql,
      'select name, language from workspaces where organization_id = $1',
      [organizationId],
    ),
  );
  const by = ctx.actor.type === 'member' ? ctx.actor.name : null;
  const words = invitationMail(workspace?.language ?? '', {
    workspace: workspace?.name ?? '',
    by,
    link,
  });
  return mailer.send({ to: member.email, ...words }).then(
    () => true,
    () => false,
  );
}

/** What someone is invited to. */
export interface Invitation {
  readonly organizationId: string;
  readonly workspace: string;
  readonly memberId: string;
  readonly userId: string;
  readonly name: string;
  readonly email: string;
  /** Whether the person has an account already, and joins by signing in. */
  readonly hasPassword: boolean;
}

interface Parts {
  readonly database: Database;
  readonly clock: Clock;
}

/** Throws the same 404 for an invitation that does not exist, was accepted, was replaced or has expired. */
export async function findInvitation(
  { database, clock }: Parts,
  token: string,
): Promise<Invitation> {
  const { rows } = await database.system.query<{ organization_id: string; member_id: string }>(
    'select organization_id, member_id from invitations where token_hash = $1 and expires_at > $2',
    [tokenHash(token), clock.now()],
  );
  const [found] = rows;
  if (!found) throw notFound('invitation');
  const { organization_id: organizationId, member_id: memberId } = found;
  const row = await inWorkspace(database, organizationId, (sql) =>
    first<{ workspace: string; user_id: string; name: string; email: string }>(
      sql,
      `select w.name as workspace, m.user_id, m.name, m.email
       from members m join workspaces w on w.organization_id = m.organization_id
       where m.organization_id = $1 and m.id = $2 and m.status = 'invited'`,
      [organizationId, memberId],
    ),
  );
  if (!row) throw notFound('invitation');
  const { workspace, user_id: userId, name, email } = row;
  const person = await database.system.query<{ known: boolean }>(
    'select password_hash is not null as known from people where id = $1',
    [userId],
  );
  const hasPassword = person.rows[0]?.known ?? false;
  return { organizationId, workspace, memberId, userId, name, email, hasPassword };
}

/**
 * The person joins: once, and only through the most recent link.
 *
 * @param ctx of the invited member
 */
export const acceptInvitation = (ctx: Context, memberId: string, token: string): Promise<void> =>
  transact(ctx, async (tx) => {
    // Before the link, as whoever sends another one has the two.
    await tx.sql.rows(
      'select from members where organization_id = $1 and id = $2 for no key update',
      [tx.organizationId, memberId],
    );
    const used = await first<{ id: string; name: string }>(
      tx.sql,
      `with used as (delete from invitations where organization_id = $1 and member_id = $2 and token_hash = $3 and expires_at > $4 returning 1)
       update members set status = 'active', joined_at = $4
       where organization_id = $1 and id = $2 and status = 'invited' and exists (select from used) returning id, name`,
      [tx.organizationId, memberId, tokenHash(token), tx.now],
    );
    if (!used) throw notFound('invitation');
    const actor = { type: 'member', ...used, app: null } as const;
    await audit(
      { ...tx, actor },
      {
        action: 'member.joined',
        target: { type: 'member', ...used },
        changes: [{ field: 'status', from: 'invited', to: 'active' }],
      },
    );
  });
