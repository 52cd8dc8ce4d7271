import { system } from '../src/access/actor.ts';
import { expiryWarnings } from '../src/api-keys/warning.ts';
import { clockStarts } from '../src/automations/clock/sweeping.ts';
import { changeNumber } from '../src/campaigns/states/number-changes.ts';
import { assignmentsTending } from '../src/conversations/assignment/returning.ts';
import { historyDropping } from '../src/conversations/history.ts';
import { idleClosing } from '../src/conversations/idle.ts';
import { sealing } from '../src/crypto/rotation.ts';
import { type Sweep, type SweepPosition, sweep } from '../src/db/sweeping.ts';
import { healthSweep } from '../src/numbers/health.ts';
import { daysWriting } from '../src/reports/rollup.ts';
import { aliveFor, passOver } from './alive.ts';
import type { Deps } from './deps.ts';

const SWEEP_FOR_MS = 15_000;

/** What goes through all workspaces. One that fails is tried again and holds up no other. */
export const sweepActivities = ({
  database,
  contextFor,
  clock,
  keyring,
  log,
}: Pick<Deps, 'database' | 'contextFor' | 'clock' | 'keyring' | 'log'>) => {
  const sweeping =
    (what: (mayGoOn: () => boolean) => Sweep, words: string) => (position: SweepPosition) =>
      aliveFor(SWEEP_FOR_MS, (mayGoOn) =>
        sweep(what(mayGoOn), position, { mayGoOn, failed: passOver(log, words) }),
      );

  return {
    startDueAutomations: sweeping(
      () => clockStarts(database, contextFor, log),
      'the automations of a workspace cannot look at the clock',
    ),
    closeIdleConversations: sweeping(
      () => idleClosing(database, contextFor),
      'the idle conversations of a workspace cannot be closed',
    ),
    tendAssignments: sweeping(
      () => assignmentsTending(database, contextFor),
      'the assignments of a workspace cannot be tended',
    ),
    dropMessageHistory: sweeping(
      () => historyDropping(database, clock.now()),
      'the old messages of a workspace cannot be deleted',
    ),
    warnExpiringKeys: sweeping(
      () => expiryWarnings(database, contextFor, clock.now()),
      'the keys of a workspace cannot be looked at',
    ),
    checkNumbers: sweeping(
      () =>
        healthSweep(database, clock.now(), (organizationId, numberId, cause) =>
          changeNumber(contextFor(organizationId, system('health sweep')), numberId, { cause }),
        ),
      'the numbers of a workspace cannot be looked at',
    ),
    rollUpReports: sweeping(
      (mayGoOn) => daysWriting(database, { now: clock.now(), mayGoOn }),
      'the reports of a workspace cannot be written down',
    ),
    sealAgain: sweeping(
      () =>
        sealing({ database, keyring }, (place) =>
          log.error(place, 'a stored secret cannot be read'),
        ),
      'the secrets of a workspace cannot be encrypted again',
    ),
  };
};
