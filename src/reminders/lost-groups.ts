import type { Context } from '../context.ts';
import { groupDeleted, groupsRefused } from '../groups/leaving.ts';
import { cancelRemindersOf } from './cancelling.ts';

/** Leaves the groups of messages that WhatsApp refused with 131041, and cancels what was planned for them. */
export const leaveRefused = (ctx: Context, messageIds: readonly string[]): Promise<void> =>
  groupsRefused(ctx, messageIds, cancelRemindersOf);

/** Leaves a group that WhatsApp reports as deleted, and cancels what was planned for it. */
export const leaveDeleted = (
  ctx: Context,
  group: { readonly numberId: string; readonly providerId: string },
): Promise<void> => groupDeleted(ctx, group, cancelRemindersOf);
