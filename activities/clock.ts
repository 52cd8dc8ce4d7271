import { system } from '../src/access/actor.ts';
import { expiryWarnings } from '../src/api-keys/warning.ts';
import { clockStarts } from '../src/automations/clock/sweeping.ts';
import { changeNumber } from '../src/campaigns/states/number-changes.ts';
import { assignmentsTending } from '../src/conversations/assignment/returning.ts';
import { historyDropping } from '../src/conversations/history.ts';
import { idleClosing } from '../src/conversations/idle.ts';
import { type Sweep, type SweepPosition, sweep } from '../src/db/sweeping.ts';
import { healthSweep } from '../src/numbers/health.ts';
import { aliveFor, passOver } from './alive.ts';
import type { Deps } from './deps.ts';

const SWEEP_FOR_MS = 15_000;

/** What a number shows as the reason of its state, where the cause does not say it. */
const REASONS: Readonly<Record<string, string>> = {
  stalled: 'provisioning_timeout',
  codes_exhausted: 'pairing_expired',
};

/** What the Schedules ask for. A workspace that fails is tried again and holds up no other. */
export const clockActivities = ({
  database,
  contextFor,
  clock,
  log,
}: Pick<Deps, 'database' | 'contextFor' | 'clock' | 'log'>) => {
  const sweepOn = (what: Sweep, position: SweepPosition, words: string) =>
    aliveFor(SWEEP_FOR_MS, (mayGoOn) =>
      sweep(what, position, { mayGoOn, failed: passOver(log, words) }),
    );

  return {
    startDueAutomations: (position: SweepPosition) =>
      sweepOn(
        clockStarts(database, contextFor),
        position,
        'the automations of a workspace cannot look at the clock',
      ),

    closeIdleConversations: (position: SweepPosition) =>
      sweepOn(
        idleClosing(database, contextFor),
        position,
        'the idle conversations of a workspace cannot be closed',
      ),

    tendAssignments: (position: SweepPosition) =>
      sweepOn(
        assignmentsTending(database, contextFor),
        position,
        'the assignments of a workspace cannot be tended',
      ),

    dropMessageHistory: (position: SweepPosition) =>
      sweepOn(
        historyDropping(database, clock.now()),
        position,
        'the old messages of a workspace cannot be deleted',
      ),

    warnExpiringKeys: (position: SweepPosition) =>
      sweepOn(
        expiryWarnings(database, contextFor, clock.now()),
        position,
        'the keys of a workspace cannot be looked at',
      ),

    checkNumbers: (position: SweepPosition) =>
      sweepOn(
        healthSweep(database, clock.now(), (organizationId, numberId, cause) =>
          changeNumber(contextFor(organizationId, system('health sweep')), numberId, {
            cause,
            reason: REASONS[cause] ?? cause,
          }),
        ),
        position,
        'the numbers of a workspace cannot be looked at',
      ),
  };
};
