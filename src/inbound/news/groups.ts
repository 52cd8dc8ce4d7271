import { system } from '../../access/actor.ts';
import type { Clock } from '../../db/clock.ts';
import { type ContextParts, createContext } from '../../db/contexts.ts';
import { transact } from '../../db/transact.ts';
import type { GroupUpdate } from '../../gateway/cloud-api/wire.ts';
import { findOrCreateGroup } from '../../groups/service.ts';
import { leaveDeleted } from '../../reminders/lost-groups.ts';
import type { NumberOwner } from '../queries.ts';

/** A group that begins with our number in it, or is no more (design decisions §23). */
export interface GroupWord {
  readonly providerId: string;
  readonly name: string;
  readonly deleted: boolean;
}

/** Null for what did not succeed, and for other events. */
export function groupWordOf({
  group_id,
  type,
  subject = '',
  errors,
}: GroupUpdate): GroupWord | null {
  if (errors?.length || (type !== 'group_create' && type !== 'group_delete')) return null;
  return { providerId: group_id, name: subject.slice(0, 100), deleted: type === 'group_delete' };
}

/** Makes the group known with its conversation, or leaves it; a repetition changes nothing. */
export async function heedGroup(
  parts: ContextParts & { readonly clock: Clock },
  { organizationId, numberId }: Pick<NumberOwner, 'organizationId' | 'numberId'>,
  { providerId, name, deleted }: GroupWord,
): Promise<void> {
  const now = parts.clock.now();
  const ctx = createContext(parts, { organizationId, actor: system('WhatsApp'), now });
  if (deleted) await leaveDeleted(ctx, { numberId, providerId });
  else await transact(ctx, (tx) => findOrCreateGroup(tx, { numberId, providerId, name }));
}
