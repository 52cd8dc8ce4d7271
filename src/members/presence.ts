import { requirePermission } from '../access/actor.ts';
import { audit } from '../audit/service.ts';
import type { Context, ReadContext } from '../context.ts';
import { first } from '../db/sql.ts';
import { transact } from '../db/transact.ts';
import { invalidState } from '../errors.ts';
import { CAN_ANSWER, fillRoom } from './assigning.ts';
import type { Member } from './entities.ts';
import { lockMember } from './managing.ts';
import { PRESENCE_MS, RENEW_MS } from './rules.ts';

/**
 * Marks a person as online or away. Being online lasts for `forMs` and must be renewed before it ends; being away lasts
 * until it is taken back, or the person signs in anew. Only the changes enter the audit log. The assignment queue gives
 * conversations to those online.
 */
export async function setPresence(
  ctx: Context,
  id: string,
  { online, forMs = PRESENCE_MS }: { online: boolean; forMs?: number },
): Promise<Member> {
  const member = await transact(ctx, async (tx) => {
    if (tx.actor.id !== id) requirePermission(tx.actor, 'members.manage');
    const member = await lockMember(tx, id);
    if (online && member.status !== 'active') throw invalidState(member.status, ['active']);
    const was = isThere(member, tx.now);
    Object.assign(
      member,
      online
        ? { onlineUntil: new Date(tx.now.getTime() + forMs), awaySince: null }
        : { onlineUntil: null, awaySince: tx.now },
    );
    await tx.em.flush();
    if (was !== online)
      await audit(tx, {
        action: online ? 'member.came_online' : 'member.went_offline',
        target: { type: 'member', id, name: member.name },
      });
    return member;
  });
  if (online) await fillRoom(ctx, id);
  return member;
}

const isThere = ({ onlineUntil }: Member, now: Date): boolean =>
  (onlineUntil?.getTime() ?? 0) > now.getTime();

/** A member who is signed in. */
export interface SignedIn {
  readonly id: string;
  readonly signedInAt: Date;
}

export interface Presence {
  /** Whether the person said so, since they signed in. */
  readonly isAway: boolean;
  /** Whether using the console is to renew that they are online. */
  readonly isDue: boolean;
}

/** SQL: whether member `m`, who signed in at `$3`, said since then that they are away. */
const IS_AWAY = 'coalesce(m.away_since >= $3, false)';
/** SQL: whether the presence of `m` was not renewed lately, as of `$4`, the time until which it would be. */
const IS_OLD = `coalesce(m.online_until <= $4::timestamptz - interval '${RENEW_MS} ms', true)`;

/** Reads only, and is for those who answer conversations. */
export async function presenceOf(
  { sql, organizationId, now }: ReadContext,
  { id, signedInAt }: SignedIn,
): Promise<Presence> {
  const found = await first<Presence>(
    sql,
    `select ${IS_AWAY} as "isAway", ${IS_OLD} and not ${IS_AWAY} as "isDue"
     from members m where m.organization_id = $1 and m.id = $2`,
    [organizationId, id, signedInAt, until(now)],
    'presence',
  );
  return found ?? { isAway: false, isDue: false };
}

// A row that somebody else changes at this moment is left to the next time.
const RENEW = `
with was as (
  select m.id, coalesce(m.online_until > $5, false) as online from members m
  where m.organization_id = $1 and m.id = $2 and ${CAN_ANSWER} and ${IS_OLD} and not ${IS_AWAY}
  for no key update skip locked)
update members m set online_until = $4, away_since = null from was
where m.organization_id = $1 and m.id = was.id returning was.online`;

/**
 * Whoever uses the console is online: renews it where `presenceOf` says that this is due. It is no act of the person, so
 * it enters no log. Who comes online gets what waits.
 */
export async function stayOnline(ctx: Context, { id, signedInAt }: SignedIn): Promise<void> {
  const params = [ctx.organizationId, id, signedInAt, until(ctx.now), ctx.now];
  const was = await transact(ctx, ({ sql }) => first<{ online: boolean }>(sql, RENEW, params));
  if (was?.online === false) await fillRoom(ctx, id);
}

const until = (now: Date): Date => new Date(now.getTime() + PRESENCE_MS);
