import { describe, expect, it } from '@jest/globals';
import { NUMBER_STATUSES, type NumberStatus } from '../../src/numbers/rules.ts';
import { numberView } from '../../src/numbers/schema.ts';
import {
  afterConnecting,
  findingOf,
  type NumberCause,
  nextStatus,
  type Observed,
  reasonOf,
  stopsSending,
} from '../../src/numbers/states.ts';

/** The table of design decisions §8, row by row. */
const TABLE: readonly (readonly [NumberStatus | 'any', readonly NumberCause[], NumberStatus])[] = [
  ['provisioning', ['code_ready'], 'awaiting_pairing'],
  ['provisioning', ['registered'], 'connected'],
  ['provisioning', ['stalled', 'refused'], 'error'],
  ['awaiting_pairing', ['paired'], 'connected'],
  ['awaiting_pairing', ['codes_exhausted'], 'disconnected'],
  ['connected', ['quality_red', 'throttled', 'heartbeat_late', 'error_rate'], 'degraded'],
  ['degraded', ['healthy'], 'connected'],
  ['connected', ['socket_closed', 'logged_out', 'token_revoked', 'held'], 'disconnected'],
  ['degraded', ['socket_closed', 'logged_out', 'token_revoked', 'held'], 'disconnected'],
  ['disconnected', ['reconnected', 'released'], 'connected'],
  ['disconnected', ['pair_again'], 'awaiting_pairing'],
  ['any', ['restricted'], 'suspended'],
  ['suspended', ['restriction_lifted'], 'connected'],
  ['any', ['cannot_continue'], 'error'],
  ['error', ['retried'], 'provisioning'],
];

const CAUSES = [...new Set(TABLE.flatMap(([, causes]) => causes))];

const said = (status: NumberStatus, cause: NumberCause): NumberStatus | null => {
  const row = TABLE.find(
    ([from, causes]) => (from === 'any' || from === status) && causes.includes(cause),
  );
  return row && row[2] !== status ? row[2] : null;
};

describe('the states of a number', () => {
  it.each(NUMBER_STATUSES)('go from %s where the table says, and nowhere else', (status) => {
    for (const cause of CAUSES)
      expect([status, cause, nextStatus(status, cause)]).toEqual([
        status,
        cause,
        said(status, cause),
      ]);
  });

  it('have reasons that the reference names as they are shown', () => {
    const { description = '' } = numberView.shape.status_reason.meta() ?? {};
    const named = [...description.matchAll(/`([a-z_]+)`/g)].map(([, name]) => name);
    // A person's doing has no reason, and what is well needs none.
    const shown = CAUSES.filter((cause) => !['pair_again', 'retried'].includes(cause))
      .filter((cause) => !NUMBER_STATUSES.some((from) => nextStatus(from, cause) === 'connected'))
      .map(reasonOf);

    expect(shown.filter((reason) => !named.includes(reason))).toEqual([]);
    expect(named).not.toContain('stalled');
    expect(named).not.toContain('codes_exhausted');
  });

  it('stop campaigns by every cause that ends sending', () => {
    expect(CAUSES.filter(stopsSending).sort()).toEqual([
      'cannot_continue',
      'held',
      'logged_out',
      'restricted',
      'socket_closed',
      'token_revoked',
    ]);
  });

  it.each([
    ['disconnected', 'cloud_api', 'connected'],
    ['suspended', 'cloud_api', 'connected'],
    ['provisioning', 'cloud_api', 'connected'],
    ['error', 'cloud_api', 'connected'],
    ['disconnected', 'paired', 'awaiting_pairing'],
    ['error', 'paired', 'provisioning'],
    ['awaiting_pairing', 'paired', null],
    ['connected', 'sandbox', null],
    ['degraded', 'cloud_api', null],
  ] as const)(
    'take a %s number of %s to %s when a person connects it',
    (status, provider, next) => {
      expect(afterConnecting(status, provider)).toBe(next);
    },
  );
});

const NOW = new Date('2026-11-21T12:00:00.000Z');
const ago = (seconds: number): Date => new Date(NOW.getTime() - seconds * 1_000);

const well: Observed = {
  provider: 'cloud_api',
  status: 'connected',
  statusChangedAt: ago(86_400),
  quality: 'green',
  unhealthyAt: null,
  heartbeatAt: null,
  closedAt: null,
  slowedSince: null,
  slowedUntil: null,
  restrictedUntil: null,
  settled: 100,
  failed: 9,
};
const throttled = (since: number, until: number): Partial<Observed> => ({
  slowedSince: ago(since),
  slowedUntil: ago(until),
});

/** Since so many seconds; its restriction has been over for so many. */
const suspended = (since: number, over: number): Partial<Observed> => ({
  status: 'suspended',
  statusChangedAt: ago(since),
  restrictedUntil: ago(over),
});

describe('a look at a number', () => {
  it.each<[string, Partial<Observed>, ReturnType<typeof findingOf>]>([
    ['finds nothing where all is well', {}, null],
    ['finds red quality', { quality: 'red' }, 'quality_red'],
    ['lets yellow quality pass', { quality: 'yellow' }, null],
    ['finds 5 minutes of throttling', throttled(300, -1), 'throttled'],
    ['waits 5 minutes for it', throttled(299, -1), null],
    ['forgets throttling that is over', throttled(3_600, 1), null],
    ['finds an error rate of 10 %', { failed: 10 }, 'error_rate'],
    ['asks for 20 messages to judge by', { settled: 19, failed: 19 }, null],
    ['finds a late heartbeat', { provider: 'paired', heartbeatAt: ago(120) }, 'heartbeat_late'],
    ['finds none at all late too', { provider: 'paired', heartbeatAt: null }, 'heartbeat_late'],
    ['waits 2 minutes for one', { provider: 'paired', heartbeatAt: ago(119) }, null],
    ['finds a connection that is closed', { closedAt: ago(120) }, 'socket_closed'],
    ['waits 2 minutes for it', { closedAt: ago(119) }, null],
    [
      'finds a degraded one well after 10 minutes',
      { status: 'degraded', statusChangedAt: ago(7_000), unhealthyAt: ago(600) },
      'healthy',
    ],
    [
      'counts them from when something was last wrong',
      { status: 'degraded', statusChangedAt: ago(7_000), unhealthyAt: ago(599) },
      null,
    ],
    ['counts them from the change', { status: 'degraded', statusChangedAt: ago(599) }, null],
    ['finds a degraded one still unwell', { status: 'degraded', quality: 'red' }, 'unwell'],
    [
      'finds one that is not provided within 10 minutes',
      { status: 'provisioning', statusChangedAt: ago(600) },
      'stalled',
    ],
    ['waits for them', { status: 'provisioning', statusChangedAt: ago(599) }, null],
    [
      'finds pairing codes used up',
      { status: 'awaiting_pairing', statusChangedAt: ago(160) },
      'codes_exhausted',
    ],
    ['waits for the last code', { status: 'awaiting_pairing', statusChangedAt: ago(159) }, null],
    ['lifts a restriction that is over', suspended(3_600, 1), 'restriction_lifted'],
    ['waits for its end', suspended(3_600, -1), null],
    ['takes an earlier one for none', suspended(3_600, 3_601), null],
    ['lifts none that has no end', { status: 'suspended' }, null],
    ['leaves one that is down', { status: 'disconnected', quality: 'red' }, null],
  ])('%s', (_, wish, finding) => {
    expect(findingOf({ ...well, ...wish }, NOW)).toBe(finding);
  });
});
