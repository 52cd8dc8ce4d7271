import { system } from '../../access/actor.ts';
import { haltRefused } from '../../campaigns/batches/halting-number.ts';
import { optOutRefused } from '../../contacts/opt-outs/refused.ts';
import type { Context } from '../../context.ts';
import { type LeaseHolder, staleOnes } from '../../conversations/lane/claims.ts';
import { createOutgoingLane } from '../../conversations/lane/lane.ts';
import { giveUp } from '../../conversations/lane/settling.ts';
import { contextsOf } from '../../db/contexts.ts';
import { BY_INDEX, type Database, inWorkspace, sqlOver } from '../../db/database.ts';
import { leaveRefused } from '../../reminders/lost-groups.ts';
import { createLoop, type Loop } from '../loop.ts';
import type { StoppedParts } from '../parts.ts';
import { BY_ITSELF_MS } from '../polling.ts';

/** The lane of messages that are sent one by one. */
export interface OutgoingLoop extends Loop {
  readonly inFlight: number;
  held(): string[];
  readonly outcomes: Readonly<Record<string, number>>;
}

export function createOutgoing(parts: StoppedParts & { readonly token: string }): OutgoingLoop {
  const { database, clock, log, waker } = parts;
  const contextFor = contextsOf({ database, wake: waker.wake, clock });
  const contextOf = (organizationId: string): Context =>
    contextFor(organizationId, system('gateway'));
  const lane = createOutgoingLane({
    ...parts,
    wake: waker.wake,
    onRoom: () => loop.poke(),
    onHalt: (refused, { cause, providerCode }) =>
      haltRefused(contextOf(refused.organizationId), parts.keyring, refused, cause, providerCode),
    onOptedOut: (organizationId, refused) => optOutRefused(contextOf(organizationId), [refused]),
    onGroupUnknown: (organizationId, messageId) =>
      leaveRefused(contextOf(organizationId), [messageId]),
  });
  const loop = createLoop({
    name: 'the lane of outgoing messages',
    everyMs: BY_ITSELF_MS,
    log,
    work: () => lane.work(),
  });
  return {
    ...loop,
    stop: async () => {
      await loop.stop();
      await lane.stop();
    },
    get inFlight() {
      return lane.inFlight;
    },
    held: lane.held,
    outcomes: lane.outcomes,
  };
}

/**
 * Releases what ended or hanging processes had taken, and what this one took without knowing.
 *
 * @returns how many messages
 */
export async function freeOutgoing(
  database: Database,
  deadTokens: readonly string[],
  holder: LeaseHolder,
): Promise<number> {
  const stale = await staleOnes(sqlOver(database.system), deadTokens, holder);
  for (const [organizationId, own] of Map.groupBy(stale, (each) => each.organizationId)) {
    const ids = own.map(({ messageId }) => messageId);
    const tokens = [...new Set(own.map(({ token }) => token))];
    await inWorkspace(
      database,
      organizationId,
      (sql) => giveUp(sql, organizationId, ids, tokens),
      BY_INDEX,
    );
  }
  return stale.length;
}
