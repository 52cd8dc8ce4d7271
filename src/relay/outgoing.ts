import { system } from '../access/actor.ts';
import { haltNumber } from '../campaigns/transitions.ts';
import { optOutRefused } from '../contacts/opting-out.ts';
import type { Context } from '../context.ts';
import { staleOnes } from '../conversations/lane/claims.ts';
import { createOutgoingLane } from '../conversations/lane/lane.ts';
import { giveUp } from '../conversations/lane/settling.ts';
import { createContext } from '../db/contexts.ts';
import { BY_INDEX, type Database, inWorkspace, sqlOver } from '../db/database.ts';
import { leaveRefused } from '../reminders/lost-groups.ts';
import { createLoop, type Loop } from './loop.ts';
import type { RelayParts } from './relay.ts';

/** The lane of messages that are sent one by one. */
export interface OutgoingLoop extends Pick<Loop, 'start' | 'poke' | 'problem' | 'stop'> {
  /** Something was recorded somewhere: it may have been a message for this lane. */
  hear(): void;
  readonly inFlight: number;
  readonly outcomes: Readonly<Record<string, number>>;
}

const LOOK_EVERY_MS = 200;
/** A campaign wakes the relay dozens of times a second, for facts that are none of this lane's. */
const LISTEN_EVERY_MS = 100;

export function createOutgoing(parts: RelayParts & { readonly token: string }): OutgoingLoop {
  const { database, clock, log, waker } = parts;
  const contextOf = (organizationId: string): Context => {
    const place = { organizationId, actor: system('gateway'), now: clock.now() };
    return createContext({ database, wake: waker.wake }, place);
  };
  const lane = createOutgoingLane({
    ...parts,
    wake: waker.wake,
    onRoom: () => loop.poke(),
    onHalt: ({ organizationId, numberId }, { cause, providerCode }) =>
      haltNumber(contextOf(organizationId), numberId, cause, providerCode),
    onOptedOut: (organizationId, refused) => optOutRefused(contextOf(organizationId), [refused]),
    onGroupUnknown: (organizationId, messageId) =>
      leaveRefused(contextOf(organizationId), [messageId]),
  });
  const loop = createLoop({
    name: 'the lane of outgoing messages',
    everyMs: LOOK_EVERY_MS,
    log,
    work: () => lane.work(),
  });
  let looked = 0;
  let soon: NodeJS.Timeout | undefined;
  const look = (): void => {
    soon = undefined;
    looked = performance.now();
    loop.poke();
  };
  return {
    start: loop.start,
    poke: loop.poke,
    hear: () => {
      const waitMs = looked + LISTEN_EVERY_MS - performance.now();
      if (waitMs <= 0) look();
      else soon ??= setTimeout(look, waitMs);
    },
    problem: loop.problem,
    stop: async () => {
      clearTimeout(soon);
      await loop.stop();
      await lane.stop();
    },
    get inFlight() {
      return lane.inFlight;
    },
    outcomes: lane.outcomes,
  };
}

/** Frees what ended processes, and those that hang, had in hand. @returns how many messages that were. */
export async function freeOutgoing(
  database: Database,
  deadTokens: readonly string[],
): Promise<number> {
  const stale = await staleOnes(sqlOver(database.system), deadTokens);
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
