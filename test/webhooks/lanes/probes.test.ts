import { describe, expect, it } from '@jest/globals';
import { Probes } from '../../../src/webhooks/lanes/first-attempts/probes.ts';
import { attemptOf } from '../support/attempts.ts';

const many = (count: number, failures: number) =>
  Array.from({ length: count }, () => attemptOf(1, failures));

describe('new deliveries for an endpoint', () => {
  it.each([
    ['that is well: all of it at once', 0, 100, 0],
    ['that fails: 16 in a second', 5, 16, 1_000],
    ['that is down: 20 in five seconds', 20, 20, 5_000],
  ])('%s', (_, failures, admitted, everyMs) => {
    let now = 0;
    const probes = new Probes(() => now);

    const first = probes.admit(many(100, failures));
    expect(first.probes).toHaveLength(admitted);
    expect(first.rest).toHaveLength(100 - admitted);
    expect(probes.resting).toEqual(failures > 0 ? ['whk_1'] : []);

    now += everyMs;
    expect(probes.resting).toEqual([]);
    expect(probes.admit(many(100, failures)).probes).toHaveLength(admitted);
  });
});
