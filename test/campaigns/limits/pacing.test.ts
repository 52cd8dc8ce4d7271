import { describe, expect, it } from '@jest/globals';
import { windowsOf } from '../../../bench/support/pace-windows.ts';
import { effectivePace, fairShare, pacesOf } from '../../../src/campaigns/limits/pacing.ts';
import { afterLease, ceilingNow, lease, recovery } from '../../../src/numbers/pacing.ts';

describe('the pace of a campaign', () => {
  it.each([
    ['cloud_api', 4800, [10, 60, 600, 4800]],
    ['cloud_api', 600, [10, 60, 600]],
    ['sandbox', 60, [10, 60]],
    ['paired', 4800, [10, 60]],
  ] as const)('on a %s number under a plan of %d is one of %j', (provider, plan, allowed) => {
    expect(pacesOf(provider, plan)).toEqual(allowed);
  });

  it.each([
    [600, 4800, [], 600],
    [4800, 4800, [], 3840],
    [4800, 4800, [4800], 1920],
    [4800, 60000, [], 4800],
    [4800, 1200, [], 960],
    [null, 4800, [], 3840],
    [60, null, [4800], 60],
    [null, null, [], null],
    // The modest get what they ask for, and leave the rest to the others.
    [4800, 1200, [10], 950],
    [4800, 1200, [10, null], 475],
    [10, 1200, [4800, 4800], 10],
    [null, 1, [null, null], 1],
  ])(
    'of %s under a ceiling of %s beside others of %j is %s in the end',
    (pace, ceiling, others, expected) => {
      expect(effectivePace(pace, ceiling, others)).toBe(expected);
    },
  );
});

describe('a fair share', () => {
  it.each([[[null, null]], [[10, 60, 600, 4800, null]], [[600, 600, 600]], [[10]]])(
    'gives %j no more together than there is, and nobody less than an even part without need',
    (wishes) => {
      const shares = wishes.map((mine, n) => fairShare(960, mine, wishes.toSpliced(n, 1)));

      const total = shares.reduce((sum, share) => sum + share, 0);
      expect(total).toBeLessThanOrEqual(960.001);
      for (const [n, mine] of wishes.entries()) {
        const even = 960 / wishes.length;
        expect(shares[n]).toBeGreaterThanOrEqual(Math.min(mine ?? even, even) - 0.001);
        if (mine !== null) expect(shares[n]).toBeLessThanOrEqual(mine);
      }
    },
  );
});

describe('slots', () => {
  it('are evenly spaced, never a burst', () => {
    const leased = lease([{ perMinute: 10, nextAt: 0 }], 64, 1_000_000);

    expect(leased).toEqual({ count: 1, startAt: 1_000_000, intervalMs: 6_000, now: 1_000_000 });
  });

  it('are leased a quarter of a second ahead at most', () => {
    const leased = lease([{ perMinute: 4800, nextAt: 1_000_100 }], 64, 1_000_000);

    expect(leased).toEqual({ count: 13, startAt: 1_000_100, intervalMs: 12.5, now: 1_000_000 });
  });

  it('follow the slowest lane', () => {
    const fast = { perMinute: 4800, nextAt: 1_000_000 };
    const slow = { perMinute: 600, nextAt: 1_000_050 };

    const leased = lease([fast, slow], 64, 1_000_000);

    expect(leased).toEqual({ count: 3, startAt: 1_000_050, intervalMs: 100, now: 1_000_000 });
    expect(afterLease(slow, leased, 3)).toBe(1_000_350);
    expect(afterLease(slow, leased, 0)).toBe(1_000_050);
    // The fast one has given up the time of three messages, and others take their turns in between.
    expect(afterLease(fast, leased, 3)).toBe(1_000_037.5);
  });

  it('come a little closer together after a short pause, until what it cost is made good', () => {
    const lane = { perMinute: 600, nextAt: 999_960, catchesUp: true };

    const leased = lease([lane], 4, 1_000_000);

    expect(leased).toEqual({ count: 3, startAt: 1_000_000, intervalMs: 90, now: 1_000_000 });
    // Where it would stand had there been no pause.
    expect(afterLease(lane, leased, 3)).toBe(1_000_260);
  });

  it('make no more good than 3 % of ten seconds, and nothing after a rest', () => {
    const paused = { perMinute: 600, nextAt: 995_000, catchesUp: true };
    const rested = { perMinute: 600, nextAt: 900_000, catchesUp: true };

    expect(afterLease(paused, lease([paused], 1, 1_000_000), 1)).toBe(1_000_000 - 300 + 100);
    expect(afterLease(rested, lease([rested], 1, 1_000_000), 1)).toBe(1_000_000 + 100);
  });

  it.each([0, 40, 500, 4_000])(
    'are never more than 105 %% of the pace in ten seconds, nor less than 95 %% around a pause of %d ms',
    (pauseMs) => {
      const times: number[] = [];
      let nextAt = 0;
      for (let now = 1_000_000; now < 1_060_000; ) {
        const lane = { perMinute: 30_000, nextAt, catchesUp: true };
        const leased = lease([lane], 64, now);
        for (let n = 0; n < leased.count; n++) times.push(leased.startAt + n * leased.intervalMs);
        nextAt = afterLease(lane, leased, leased.count);
        now += Math.max(1, leased.startAt - now + leased.count * leased.intervalMs - 125);
        if (now > 1_030_000 && now - pauseMs <= 1_030_000) now += pauseMs;
      }

      const windows = windowsOf(times, 500);

      expect(windows.most).toBeLessThanOrEqual(105);
      if (pauseMs <= 500) expect(windows.least).toBeGreaterThanOrEqual(95);
    },
  );

  it('hold the number itself to its ceiling while a campaign on it catches up', () => {
    const campaign = { perMinute: 4_800, nextAt: 999_000, catchesUp: true };
    const number = { perMinute: 5_000, nextAt: 1_000_010 };

    const leased = lease([campaign, number], 64, 1_000_000);

    expect(leased.startAt).toBe(1_000_010);
    expect(leased.intervalMs).toBe(12);
  });

  it('are none while the next one is further away', () => {
    expect(lease([{ perMinute: 10, nextAt: 1_005_000 }], 64, 1_000_000).count).toBe(0);
  });
});

describe('a throttled number', () => {
  const at = (seconds: number) => new Date(seconds * 1_000);

  it.each([
    [0, 0.5],
    [59, 0.5],
    [60, 0.5],
    [70, 0.55],
    [109, 0.7],
    [160, 1],
    [600, 1],
  ])('%d s later has %d of its ceiling', (seconds, share) => {
    expect(recovery(at(60), at(seconds))).toBeCloseTo(share);
  });

  it('has a ceiling even where it had none', () => {
    expect(ceilingNow(null, at(60), at(0))).toBe(2400);
    expect(ceilingNow(null, null, at(0))).toBeNull();
    expect(ceilingNow(4800, null, at(0))).toBe(4800);
  });
});
