import { system } from '../../access/actor.ts';
import type { Clock } from '../../db/clock.ts';
import { type ContextParts, createContext } from '../../db/contexts.ts';
import { transact } from '../../db/transact.ts';
import type { GroupUpdate } from '../../gateway/cloud-api/wire.ts';
import { findOrCreateGroup } from '../../groups/service.ts';
import { leaveDeleted } from '../../reminders/lost-groups.ts';
import type { NumberOwner } from '../queries.ts';

/** A group that our number was added to, or that ended (design decisions §23). */
export interface GroupNotice {
  readonly providerId: string;
  readonly name: string;
  readonly deleted: boolean;
}

/** Null for operations that failed, and for other events. */
export function groupNoticeOf({
  group_id,
  type,
  subject = '',
  errors,
}: GroupUpdate): GroupNotice | null {
  if (errors?.length || (type !== 'group_create' && type !== 'group_delete')) return null;
  return { providerId: group_id, name: subject.slice(0, 100), deleted: type === 'group_delete' };
}

/** Records the group with its conversation, or marks it as left; a repetition changes nothing. */
export async function applyGroupNotice(
  parts: ContextParts & { readonly clock: Clock },
  { organizationId, numberId }: Pick<NumberOwner, 'organizationId' | 'numberId'>,
  { providerId, name, deleted }: GroupNotice,
): Promise<void> {
  const now = parts.clock.now();
  const ctx = createContext(parts, { organizationId, actor: system('WhatsApp'), now });
  if (deleted) await leaveDeleted(ctx, { numberId, providerId });
  else await transact(ctx, (tx) => findOrCreateGroup(tx, { numberId, providerId, name }));
}
