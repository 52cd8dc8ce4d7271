import { describe, expect, it } from '@jest/globals';
import { fullLaneMs, isExpired, nextAttemptAt } from '../../src/webhooks/rules.ts';

const first = new Date('2026-11-21T00:00:00Z');
const secondsLater = (seconds: number): Date => new Date(first.getTime() + seconds * 1_000);
const exact = { scale: 1, jitter: () => 0 };

/** Seconds after the first attempt at which each of the others begins. */
function offsets(jitter = 0, retryAfterMs: number | null = null): number[] {
  const found: number[] = [];
  let last = first;
  for (let made = 1; made < 20; made += 1) {
    const past = { made, firstStartedAt: first, lastStartedAt: last, retryAfterMs, now: last };
    const next = nextAttemptAt(past, { scale: 1, jitter: () => jitter });
    if (!next) break;
    found.push((next.getTime() - first.getTime()) / 1_000);
    last = next;
  }
  return found;
}

describe('when the next attempt is due', () => {
  it('doubles from 30 seconds, 12 attempts over 17 h 3.5 min', () => {
    const exactly = [30, 90, 210, 450, 930, 1_890, 3_810, 7_650, 15_330, 30_690, 61_410];
    expect(offsets()).toEqual(exactly);
  });

  it('is never earlier than that with jitter, and still inside 24 hours', () => {
    const late = offsets(1);
    expect(late).toHaveLength(11);
    expect(late[0]).toBe(33);
    expect(late.at(-1)).toBeCloseTo(61_410 * 1.1, 3);
    expect(late.at(-1)).toBeLessThan(24 * 3_600);
  });

  it.each([
    ['longer than the step: it rules', 120, 120],
    ['shorter than the step: the step rules', 5, 30],
    ['longer than an hour: an hour', 7_200, 3_600],
  ])('with a Retry-After %s', (_, asked, due) => {
    const past = { made: 1, firstStartedAt: first, lastStartedAt: first, now: first };
    expect(nextAttemptAt({ ...past, retryAfterMs: asked * 1_000 }, exact)).toEqual(
      secondsLater(due),
    );
  });

  it('keeps to the step when a Retry-After would lead out of the 24 hours', () => {
    const lastStartedAt = secondsLater(23 * 3_600 + 1_900);
    const past = { made: 2, firstStartedAt: first, lastStartedAt, now: lastStartedAt };
    expect(nextAttemptAt({ ...past, retryAfterMs: 3_600_000 }, exact)).toEqual(
      secondsLater(23 * 3_600 + 1_960),
    );
  });

  it('keeps to the step when an attempt asked for might begin after the 24 hours', () => {
    const lastStartedAt = secondsLater(23 * 3_600);
    const past = { made: 2, firstStartedAt: first, lastStartedAt, now: lastStartedAt };
    const dueWith = (retryAfterMs: number) => nextAttemptAt({ ...past, retryAfterMs }, exact);

    expect(dueWith(3_599_000)).toEqual(secondsLater(24 * 3_600 - 1));
    expect(dueWith(3_599_001)).toEqual(secondsLater(23 * 3_600 + 60));
  });

  it('may be the last moment of the 24 hours by the step, which nothing comes before', () => {
    const lastStartedAt = secondsLater(24 * 3_600 - 30);
    const past = { made: 1, firstStartedAt: first, lastStartedAt, now: lastStartedAt };
    expect(nextAttemptAt({ ...past, retryAfterMs: null }, exact)).toEqual(secondsLater(24 * 3_600));
  });

  it('is never when the step itself leads out of the 24 hours', () => {
    const lastStartedAt = secondsLater(20 * 3_600);
    const past = { made: 11, firstStartedAt: first, lastStartedAt, now: lastStartedAt };
    expect(nextAttemptAt({ ...past, retryAfterMs: null }, exact)).toBeNull();
  });
});

describe('the 24 hours', () => {
  it('begin with the first attempt', () => {
    expect(isExpired(null, secondsLater(100 * 3_600))).toBe(false);
    expect(isExpired(first, secondsLater(24 * 3_600))).toBe(false);
    expect(isExpired(first, secondsLater(24 * 3_600 + 1))).toBe(true);
  });
});

describe('a lane that hardly empties', () => {
  it('is looked at less often, and never so seldom that it runs dry', () => {
    expect(fullLaneMs(500, 500)).toBe(0);
    expect(fullLaneMs(100, 500)).toBe(0);
    // So much went since the last look, 200 ms ago or more: what is left lasts for longer than the wait.
    expect(fullLaneMs(99, 500)).toBe(1_000);
    expect(fullLaneMs(9, 500)).toBe(5_000);
    expect(fullLaneMs(0, 200)).toBe(5_000);
  });
});
