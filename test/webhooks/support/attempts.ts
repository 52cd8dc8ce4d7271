import { randomUUID } from 'node:crypto';
import type { DueAttempt } from '../../../src/webhooks/lanes/first-attempts/intake.ts';

/** A delivery of one endpoint as a process takes it, under that revision and with so many failures in a row. */
export const attemptOf = (revision: number, failuresInRow = 0): DueAttempt => ({
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
  trace: null,
});
