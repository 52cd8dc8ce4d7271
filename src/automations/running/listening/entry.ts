import type { Context } from '../../../context.ts';
import { first } from '../../../db/sql.ts';
import { DAY_MS } from '../../../durations.ts';
import type { Definition } from '../../definition/language.ts';
import { holds } from '../conditions/conditions.ts';

/** Triggers that come again at the same local time. */
const AT_LOCAL_TIME = ['schedule', 'date_field'];

/** The person a run would be for, and the message it would begin with. */
export interface Candidate {
  readonly contactId: string;
  /** The conversation of the run; null if not known yet. */
  readonly conversationId: string | null;
  readonly messageId: string | null;
  /** The type of what would start it. */
  readonly by: string;
}

/** Why someone may not enter. */
export type Refusal = 'blocked' | 'handled_by_member' | 'reentry' | 'conditions';

/**
 * Why the automation's entry rules refuse someone, in the caller's transaction; null if they do not. Where a person
 * answers, automations stay silent until the conversation is closed, unless the entry rules say otherwise (design
 * decisions §9, Handover).
 */
export async function refusalOf(
  tx: Context,
  automationId: string,
  entry: Definition['entry'],
  candidate: Candidate,
): Promise<Refusal | null> {
  const standing = await standingOf(tx, automationId, candidate);
  if (!standing || standing.blocked) return 'blocked';
  if (entry.skip_if_handled_by_member && standing.byMember) return 'handled_by_member';
  if (!mayComeBack(entry, daysBetween(standing.lastStart, tx.now, candidate.by))) return 'reentry';
  if (entry.conditions === null) return null;
  return (await holds(tx, { ...candidate, runId: null }, entry.conditions)) ? null : 'conditions';
}

interface Standing {
  readonly blocked: boolean;
  readonly byMember: boolean;
  /** When this person's last run of the automation began. */
  readonly lastStart: Date | null;
}

// Without its own conversation, a run would use the person's latest one. The offset and the empty text make the
// planner look both up by person: a plan made while the tables were small would scan the workspace's, or the
// automation's, rows.
const STANDING = `
select c.blocked, coalesce((
    select v.by_member from (
      select w.handled_by = 'member' and w.status = 'open' as by_member, coalesce(w.last_message_at, w.created_at) as latest
      from conversations w
      where w.organization_id = $1 and w.contact_id = c.id and ($4::text is null or w.id = $4) offset 0) v
    order by v.latest desc limit 1), false) as "byMember",
  (select max(r.started_at) from automation_runs r
    where r.organization_id = $1 and r.contact_id = c.id and r.automation_id || '' = $3) as "lastStart"
from contacts c where c.organization_id = $1 and c.id = $2`;

const standingOf = (
  { sql, organizationId }: Context,
  automationId: string,
  { contactId, conversationId }: Candidate,
): Promise<Standing | null> => {
  const params = [organizationId, contactId, automationId, conversationId];
  return first<Standing>(sql, STANDING, params, 'entrant');
};

/**
 * Whole days where the hour of the day is the trigger's own: from one round to the next it differs by how late each was
 * taken, and by an hour where clocks change.
 *
 * @returns null if there is no last start
 */
function daysBetween(last: Date | null, now: Date, by: string): number | null {
  if (last === null) return null;
  const days = (now.getTime() - last.getTime()) / DAY_MS;
  return AT_LOCAL_TIME.includes(by) ? Math.round(days) : days;
}

const mayComeBack = (
  { reentry, reentry_days: wanted }: Definition['entry'],
  days: number | null,
): boolean =>
  days === null || reentry === 'always' || (reentry === 'after_days' && days >= (wanted ?? 0));
