import type { InWorkspace } from '../../context.ts';
import type { Refusal } from './listening/entry.ts';
import type { Started } from './starting.ts';

/** Why a trigger that fired started no run. */
export type Dropped =
  | Refusal
  | Extract<Started, { readonly dropped: string }>['dropped']
  /** For time-based triggers. */
  | 'missed'
  | 'opted_out'
  | 'segment_too_heavy';

const COUNT = `
insert into automation_drops as d (organization_id, automation_id, reason, count) values ($1, $2, $3, $4)
on conflict (organization_id, automation_id, reason) do update set count = d.count + excluded.count`;

/** Counts triggers that started no run, in the caller's transaction (design decisions §9); in a simulation none. */
export async function noteDrop(
  { sql, organizationId, simulated }: InWorkspace,
  automationId: string,
  reason: Dropped,
  count = 1,
): Promise<void> {
  if (!simulated) await sql.rows(COUNT, [organizationId, automationId, reason, count], 'note-drop');
}
