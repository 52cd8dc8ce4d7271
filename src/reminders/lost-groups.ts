import type { Context } from '../context.ts';
import { groupDeleted, groupsRefused } from '../groups/leaving.ts';
import { cancelRemindersOf } from './cancelling.ts';

/** The groups of messages that WhatsApp refused with 131041 are left, and nothing is planned for them. */
export const leaveRefused = (ctx: Context, messageIds: readonly string[]): Promise<void> =>
  groupsRefused(ctx, messageIds, cancelRemindersOf);

/** A group that WhatsApp says is no more is left, and nothing is planned for it. */
export const leaveDeleted = (
  ctx: Context,
  group: { readonly numberId: string; readonly providerId: string },
): Promise<void> => groupDeleted(ctx, group, cancelRemindersOf);
