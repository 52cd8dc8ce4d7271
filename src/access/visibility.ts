import { type Bind, oneByOne } from '../db/sql.ts';
import { AppError } from '../errors.ts';
import type { Actor, MemberActor } from './actor.ts';

/** Null for those who see the whole workspace. */
export const restrictedMember = (actor: Actor): MemberActor | null =>
  actor.type === 'member' && actor.visibility !== 'workspace' ? actor : null;

/**
 * Refuses a member with a narrower visibility what would show them what they do not see: 403 `forbidden`, whose details
 * are `about` and their `visibility`.
 */
export function requireFullVisibility(
  actor: Actor,
  message: string,
  about: Readonly<Record<string, string>> = {},
): void {
  const narrow = restrictedMember(actor);
  if (narrow) throw new AppError('forbidden', message, { ...about, visibility: narrow.visibility });
}

/**
 * A condition on `conversations` (under the given alias) for what the actor may see. Anyone but a member sees the
 * whole workspace. A member with "teams" sees what their teams have, their own conversations, and those that no one
 * has yet on their teams' numbers.
 */
export function visibleConversations(actor: Actor, alias: string, bind: Bind): string {
  const narrow = restrictedMember(actor);
  if (!narrow) return 'true';
  const own = `${alias}.assigned_member_id = ${bind(narrow.id)}`;
  if (narrow.visibility === 'assigned') return own;
  // By the ids of the numbers: a subquery would keep all three conditions from their indexes (decision 111).
  return `(${own} or ${alias}.assigned_team_id = any(${bind(narrow.teamIds)}::text[])
    or (${alias}.assigned_team_id is null and ${alias}.assigned_member_id is null
      and ${alias}.number_id = any(${bind(narrow.numberIds)}::text[])))`;
}

/** A condition on `numbers`: those with a conversation of the member, and with "teams" those of the member's teams too. */
export function visibleNumbers(actor: Actor, alias: string, bind: Bind): string {
  const narrow = restrictedMember(actor);
  if (!narrow) return 'true';
  // A join would read all conversations of the member; a number needs one of them.
  const own =
    oneByOne(`exists (select from conversations vc where vc.organization_id = ${alias}.organization_id
    and vc.number_id = ${alias}.id and vc.assigned_member_id = ${bind(narrow.id)})`);
  if (narrow.visibility === 'assigned') return own;
  return `(exists (select from number_teams nt where nt.organization_id = ${alias}.organization_id
    and nt.number_id = ${alias}.id and nt.team_id = any(${bind(narrow.teamIds)}::text[])) or ${own})`;
}

/** A condition on rows that refer to a conversation in `<alias>.conversation_id`: groups, messages. */
export function visibleThrough(actor: Actor, alias: string, bind: Bind): string {
  if (!restrictedMember(actor)) return 'true';
  return `exists (select from conversations vc where vc.organization_id = ${alias}.organization_id
    and vc.id = ${alias}.conversation_id and ${visibleConversations(actor, 'vc', bind)})`;
}

/** As `visibleThrough`, where everybody sees those that refer to no conversation: deals, files. */
export function visibleThroughAny(actor: Actor, alias: string, bind: Bind): string {
  const seen = visibleThrough(actor, alias, bind);
  return seen === 'true' ? seen : `(${alias}.conversation_id is null or ${seen})`;
}

/** A condition on `campaigns`: those of a number that the actor sees, to groups of which they see each. */
export function visibleCampaigns(actor: Actor, alias: string, bind: Bind): string {
  if (!restrictedMember(actor)) return 'true';
  return `(exists (select from numbers n where n.organization_id = ${alias}.organization_id
      and n.id = ${alias}.number_id and ${visibleNumbers(actor, 'n', bind)})
    and not exists (select from groups g where g.organization_id = ${alias}.organization_id
      and g.id = any(${alias}.group_ids) and not ${visibleThrough(actor, 'g', bind)}))`;
}

/**
 * A condition on `automation_runs`: one in a conversation is visible to those who see it, one without to everyone. The
 * run of a deleted contact may have been in a conversation that few saw.
 */
export function visibleRuns(actor: Actor, bind: Bind): string {
  const seen = visibleThrough(actor, 'r', bind);
  if (seen === 'true') return seen;
  return `(r.conversation_id is null and r.contact_id is not null or ${seen})`;
}
