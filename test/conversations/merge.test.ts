import { describe, expect, it } from '@jest/globals';
import {
  advance,
  insideWindow,
  type MessageStatus,
  mergeStatus,
  type Progress,
  type ReportedStatus,
} from '../../src/conversations/rules.ts';

/** What each status becomes by a report of sent, delivered, read, failed. */
const AFTER: Record<MessageStatus, [string, string, string, string]> = {
  queued: ['sent', 'delivered', 'read', 'failed'],
  sending: ['sent', 'delivered', 'read', 'failed'],
  unconfirmed: ['sent', 'delivered', 'read', 'failed'],
  sent: ['sent', 'delivered', 'read', 'failed'],
  delivered: ['delivered', 'delivered', 'read', 'delivered'],
  read: ['read', 'read', 'read', 'read'],
  failed: ['failed', 'delivered', 'read', 'failed'],
  cancelled: ['cancelled', 'cancelled', 'cancelled', 'cancelled'],
  received: ['received', 'received', 'received', 'received'],
};

const REPORTS: ReportedStatus[] = ['sent', 'delivered', 'read', 'failed'];

describe('merging a report into a status', () => {
  for (const [current, expected] of Object.entries(AFTER)) {
    it(`turns ${current} into ${expected.join(', ')} by sent, delivered, read, failed`, () => {
      const merged = REPORTS.map((report) => mergeStatus(current as MessageStatus, report));

      expect(merged).toEqual(expected);
    });
  }

  it('ends at the same status whatever the order of reports that deliver', () => {
    const orders: ReportedStatus[][] = [
      ['sent', 'delivered', 'read'],
      ['sent', 'read', 'delivered'],
      ['delivered', 'sent', 'read'],
      ['delivered', 'read', 'sent'],
      ['read', 'sent', 'delivered'],
      ['read', 'delivered', 'sent', 'failed', 'read'],
      ['failed', 'read', 'delivered', 'sent'],
    ];

    const ends = orders.map((order) => order.reduce<MessageStatus>(mergeStatus, 'sending'));

    expect(new Set(ends)).toEqual(new Set(['read']));
  });
});

describe('the times of a message', () => {
  const unsent: Progress = { status: 'sending', sentAt: null, deliveredAt: null, readAt: null };
  const at = (second: number): Date => new Date(Date.UTC(2026, 10, 20, 12, 0, second));

  it('fills the stages that a report of read skipped', () => {
    const read = advance(unsent, 'read', at(5));

    expect(read).toEqual({ status: 'read', sentAt: at(5), deliveredAt: at(5), readAt: at(5) });
  });

  it('never lets a stage be earlier than the one before it', () => {
    const sent = { ...unsent, status: 'sent', sentAt: at(9) } as const;

    const delivered = advance(sent, 'delivered', at(8));

    expect(delivered.deliveredAt).toEqual(at(9));
  });

  it('stay as they are by a report that changes nothing', () => {
    const read = advance(unsent, 'read', at(5));

    const again = advance(read, 'delivered', at(7));

    expect(again).toEqual(read);
  });

  it('keep sent_at through a failure, and gain it by the delivery that heals one', () => {
    const failed = advance(unsent, 'failed', at(1));

    const healed = advance(failed, 'delivered', at(2));

    expect(failed.sentAt).toBeNull();
    expect(healed).toMatchObject({ status: 'delivered', sentAt: at(2), deliveredAt: at(2) });
  });
});

describe('the window', () => {
  const now = new Date('2026-11-20T12:00:00Z');
  const inSeconds = (seconds: number): Date => new Date(now.getTime() + seconds * 1000);

  it('is over 2 minutes before its end, and for a person who never wrote', () => {
    const open = [inSeconds(121), inSeconds(120), inSeconds(-1), null].map((expiresAt) =>
      insideWindow(expiresAt, now),
    );

    expect(open).toEqual([true, false, false, false]);
  });
});
