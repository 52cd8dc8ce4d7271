import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { DueAttempt } from '../../src/webhooks/intake.ts';
import { EndpointLane } from '../../src/webhooks/lanes.ts';

const attempt = (revision: number, failuresInRow = 0): DueAttempt => ({
  id: `dlv_${randomUUID()}`,
  day: '2026-11-21',
  organizationId: 'org_1',
  endpointId: 'whk_1',
  eventId: 'evt_1',
  url: 'https://hooks.example.com',
  body: '{}',
  secret: '',
  previousSecret: null,
  previousValidUntil: null,
  secretVersion: 1,
  failuresInRow,
  revision,
  roundAttempts: 0,
  firstAttemptAt: null,
});

function aLane(...taken: DueAttempt[]): EndpointLane {
  const lane = new EndpointLane(taken[0] ?? attempt(1));
  for (const one of taken) lane.push(one, 0);
  return lane;
}

describe('the lane of an endpoint', () => {
  it('tells of the oldest change that anything in it was taken under', () => {
    const lane = aLane(attempt(1), attempt(2));
    expect(lane.revision).toBe(1);

    lane.clear();
    lane.push(attempt(2), 0);
    expect(lane.revision).toBe(2);
  });

  it('believes what a change says about failures, and an older reading no more', () => {
    const lane = aLane(attempt(1, 4), attempt(2, 0), attempt(1, 4));
    expect(lane.failuresInRow).toBe(0);
  });
});
