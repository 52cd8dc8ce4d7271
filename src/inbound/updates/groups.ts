import { transact } from '../../db/transact.ts';
import type { GroupUpdate } from '../../gateway/cloud-api/wire.ts';
import { describeGroup, findOrCreateGroup, MAX_NAME } from '../../groups/service.ts';
import { nameToShow } from '../../http/fields.ts';
import { leaveDeleted } from '../../reminders/lost-groups.ts';
import { asWhatsApp, type InboundParts } from '../as-whatsapp.ts';
import { momentOf } from '../moments.ts';
import type { NumberOwner } from '../queries.ts';

const EVENTS = {
  group_create: 'created',
  group_delete: 'deleted',
  group_settings_update: 'changed',
} as const;

/** A group that our number was added to, that ended, or that is called otherwise now (design decisions §23). */
export interface GroupNotice {
  readonly event: (typeof EVENTS)[keyof typeof EVENTS];
  readonly providerId: string;
  /** "" if it is not said. */
  readonly name: string;
  /** Null if it is not said. */
  readonly description: string | null;
  readonly at: Date;
}

/** Null for operations that failed, and for other events. */
export function groupNoticeOf(update: GroupUpdate, now: Date): GroupNotice | null {
  const { group_id, type, timestamp, errors } = update;
  if (errors?.length || !isEvent(type)) return null;
  return {
    event: EVENTS[type],
    providerId: group_id,
    name: nameToShow(update.subject ?? settled(update.group_subject) ?? '', MAX_NAME),
    description: settled(update.group_description) ?? null,
    at: timestamp === undefined ? now : momentOf(timestamp, now),
  };
}

const isEvent = (type: string): type is keyof typeof EVENTS => Object.hasOwn(EVENTS, type);

const settled = (setting: GroupUpdate['group_subject']): string | undefined =>
  setting?.update_successful ? setting.text : undefined;

/** Records the group with its conversation, marks it as left, or names it; a repetition changes nothing. */
export async function applyGroupNotice(
  parts: InboundParts,
  { organizationId, numberId }: NumberOwner,
  { event, providerId, name, description, at }: GroupNotice,
): Promise<void> {
  const ctx = asWhatsApp(parts, organizationId);
  if (event === 'deleted') return leaveDeleted(ctx, { numberId, providerId });
  await transact(ctx, async (tx) => {
    if (event === 'changed')
      await describeGroup(tx, { numberId, providerId, name, description }, at);
    else await findOrCreateGroup(tx, { numberId, providerId, name }, at);
  });
}
