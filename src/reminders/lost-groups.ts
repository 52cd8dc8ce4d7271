import type { Context } from '../context.ts';
import { groupsRefused } from '../groups/leaving.ts';
import { cancelRemindersOf } from './cancelling.ts';

/** The groups of messages that WhatsApp refused with 131041 are left, and nothing is planned for them. */
export const leaveRefused = (ctx: Context, messageIds: readonly string[]): Promise<void> =>
  groupsRefused(ctx, messageIds, cancelRemindersOf);
