import type { News } from '../context.ts';
import { sqlOver } from '../db/database.ts';
import { createChores, createFetching } from './chores.ts';
import { createCommandLoop } from './commands.ts';
import { agesNow, noFigures, type RelayFigures } from './figures.ts';
import { createAutomationLane } from './lanes/automations.ts';
import { createFirstAttempts } from './lanes/first-attempts.ts';
import { createOutgoing } from './lanes/outgoing.ts';
import { createReminderLane } from './lanes/reminders.ts';
import { createLoop, type Loop, type LoopParts } from './loop.ts';
import { createMeasuring } from './measuring.ts';
import { keepPartitions } from './partitions.ts';
import type { RelayParts } from './parts.ts';
import { createPolling } from './polling.ts';
import {
  announcePresence,
  createPresenceCache,
  type Presence,
  refuseOtherNamespace,
} from './processes/presence.ts';
import { createReconciler } from './reconciler.ts';
import { createRescue } from './rescue.ts';
import { createSweep } from './sweep.ts';
import { createTemporalCalls } from './temporal-calls.ts';

/** The running relay of this process. */
export interface Relay {
  /** By which other processes know that this one is alive. */
  readonly token: string;
  readonly showServer: Presence['showServer'];
  /** Null while it runs, otherwise what is wrong. A missing Temporal is not a problem: commands wait for it. */
  problem(): string | null;
  /** What waits and is in flight in this process, in addition to the counts. */
  figures(): Readonly<RelayFigures> & Flight;
  /**
   * Lets attempts in flight end, records them, and returns the rest. Other processes take this one for dead only
   * after `last`.
   */
  stop(last?: Promise<unknown>): Promise<void>;
}

interface Flight {
  /** Attempts of webhooks, except those made by workflows. */
  readonly waiting: number;
  readonly inFlight: number;
  /** Messages, and the outcomes of those sent by this process. */
  readonly sendsInFlight: number;
  readonly sends: Readonly<Record<string, number>>;
}

const SWEEP_EVERY_MS = 1_000;
const RECONCILE_EVERY_MS = 5_000;

/** Shows this process to the others, unless theirs is another namespace. */
async function appear({ url, database, client }: RelayParts): Promise<Presence> {
  const { namespace } = client.options;
  const presence = announcePresence({ url, namespace });
  try {
    await presence.ready;
    await refuseOtherNamespace(sqlOver(database.system), namespace, presence);
    return presence;
  } catch (error) {
    await presence.close();
    throw error;
  }
}

/** All loops of this process, none of them started yet. */
function createLoops(
  parts: RelayParts,
  presence: Presence,
  figures: RelayFigures,
  stopping: AbortSignal,
) {
  const { database, log, client, taskQueue } = parts;
  const { token } = presence;
  const calls = createTemporalCalls(client, taskQueue, parts);
  const stopped = { ...parts, stopping };
  const commands = createCommandLoop({ database, token, calls, log }, figures);
  const lane = createFirstAttempts({ ...parts, token, figures, onCommands: () => commands.poke() });
  const outgoing = createOutgoing({ ...stopped, token });
  const automations = createAutomationLane(parts);
  const reminders = createReminderLane(parts);
  const files = createFetching(stopped);
  const onWork = (): void => {
    lane.claims.poke();
    commands.poke();
    outgoing.poke();
  };
  const presenceCache = createPresenceCache(sqlOver(database.system));
  const sweep = createSweep({ database, token, presenceCache, lane, outgoing, log, onWork });
  const rescue = createRescue({ ...parts, token, presenceCache });
  const every = (name: string, everyMs: LoopParts['everyMs'], work: () => Promise<void>) =>
    createLoop({ name, everyMs, log, work: () => work().then(() => false) });
  const sweeping = every('the sweep', SWEEP_EVERY_MS, sweep);
  const healing = [
    every('the reconciler', RECONCILE_EVERY_MS, createReconciler({ database, calls })),
    every('the rescue', rescue.everyMs, rescue.look),
  ];
  const polling = createPolling(parts, {
    events: lane.events,
    deliveries: lane.claims,
    commands,
    inbound: parts.inbound,
    messages: outgoing,
    triggers: automations,
    runs: automations,
    reminders,
    files,
  });
  const slow = [
    polling,
    commands,
    sweeping,
    ...healing,
    outgoing,
    automations,
    reminders,
    files,
    ...createMeasuring({ database, figures, log }),
    ...createChores(stopped),
  ];
  return { lane, commands, outgoing, automations, sweeping, slow };
}

type Loops = ReturnType<typeof createLoops>;

/** Wakes the loops that news of other processes, or of this one, is for. */
const hear = ({ waker }: RelayParts, { lane, commands, outgoing, automations }: Loops) => {
  const loops: Partial<Record<News, Pick<Loop, 'poke'>>> = {
    events: lane.events,
    deliveries: lane.claims,
    endpoints: lane.claims,
    commands,
    messages: outgoing,
    triggers: automations,
  };
  return waker.onWake((news) => {
    loops[news]?.poke();
    if (news !== 'endpoints') return;
    // If the database is down right now, the sweep does it.
    return lane.forgetChanged().catch(() => {});
  });
};

/**
 * Turns facts into work: events into signed webhooks, commands into workflows. One in every worker process. Throws a
 * `ConfigError` if another worker uses a different Temporal namespace.
 */
export async function startRelay(parts: RelayParts): Promise<Relay> {
  const presence = await appear(parts);
  const partitions = await keepPartitions(parts.database, parts.log);
  const figures = noFigures();
  const ending = new AbortController();
  const loops = createLoops(parts, presence, figures, ending.signal);
  const { lane, outgoing, sweeping, slow } = loops;
  for (const loop of [lane.events, lane.claims, ...slow]) loop.start();
  const deafen = hear(parts, loops);

  return {
    token: presence.token,
    showServer: presence.showServer,
    problem: () =>
      lane.events.problem() ?? lane.claims.problem() ?? outgoing.problem() ?? sweeping.problem(),
    figures: () => ({
      ...figures,
      ...agesNow(figures),
      waiting: lane.attempts.waiting,
      inFlight: lane.attempts.inFlight,
      sendsInFlight: outgoing.inFlight,
      sends: outgoing.outcomes,
    }),
    stop: async (last) => {
      deafen();
      partitions.stop();
      ending.abort(new Error('the relay stops'));
      // Together: while one of them ends slowly, no other takes what another process could do.
      await Promise.all([last, ...[...slow, lane].map((each) => each.stop())]);
      await presence.close();
    },
  };
}
