import { describe, expect, it } from '@jest/globals';
import type { Context } from '../../src/context.ts';
import { createContext } from '../../src/db/contexts.ts';
import { transact } from '../../src/db/transact.ts';
import { takeStep } from '../../src/reminders/running/step.ts';
import { advanceTogether } from '../../src/reminders/together/advance.ts';
import { aSegment } from '../support/factories/segments.ts';
import { opened } from '../support/opened.ts';
import { aDesk, type Desk, openReminderDoor } from './support/desk.ts';

const door = opened(openReminderDoor);

/** A reminder is due then, and may be late by an hour. */
const DUE = Date.parse('2026-11-21T12:00:00.000Z');
const LIMIT = DUE + 3_600_000;
const SECOND = 1_000;
/** The lane looks twice a second. */
const LANE_LATE = 600;

type Mover = (tx: Context, id: string) => Promise<unknown>;

const movers: readonly (readonly [string, Mover])[] = [
  ['together', (tx, id) => advanceTogether(tx, [id])],
  ['alone', takeStep],
];

describe.each(movers)('a reminder whose number is down, moved %s', (_, move) => {
  async function waiting(desk: Desk) {
    const id = await desk.created();
    const at = (now: number, how: Mover): Promise<unknown> => {
      const { organizationId, actor } = desk.ctx;
      const parts = { database: door.database, wake: () => {} };
      const ctx = createContext(parts, { organizationId, actor, now: new Date(now) });
      return transact(ctx, (tx) => how(tx, id));
    };
    const look = (now: number): Promise<unknown> => at(now, move);
    /** What is too late is always moved alone. */
    const late = (now: number): Promise<unknown> => at(now, takeStep);
    const nextLook = async (): Promise<number> => {
      const [row] = await desk.rows<{ at: Date }>('select wakes_at as at from reminders');
      return (row?.at.getTime() ?? 0) + LANE_LATE;
    };
    const runs = () => desk.rows('select status, recipients, failed, reasons from reminder_runs');
    const numberIs = (status: string) => desk.rows('update numbers set status = $1', [status]);
    await numberIs('disconnected');
    return { look, late, nextLook, runs, numberIs };
  }

  it('goes out where the number is back shortly before its hour is over', async () => {
    const { look, nextLook, runs, numberIs } = await waiting(await aDesk(door));
    await look(LIMIT - 90 * SECOND);
    await numberIs('connected');
    await look(await nextLook());

    expect(await runs()).toMatchObject([{ status: 'running' }]);
  });

  it('is missed where it is not, at the hour’s end, for its number', async () => {
    const { look, late, nextLook, runs } = await waiting(await aDesk(door));
    await look(LIMIT - 90 * SECOND);
    await look(await nextLook());
    expect(await runs()).toEqual([]);
    const last = await nextLook();
    expect(last).toBeLessThan(LIMIT + SECOND);
    await late(last);

    const one = { recipients: 1, failed: 1, reasons: { number_unavailable: 1 } };
    expect(await runs()).toEqual([{ status: 'missed', ...one }]);
  });
});

it('a run to a segment that is missed for its number says so, and counts nobody, for nobody was looked up', async () => {
  const desk = await aDesk(door);
  const { id: segment_id } = await aSegment(desk.ctx);
  const id = await desk.created({ target: 'segment', contact_id: null, segment_id });
  await desk.rows("update numbers set status = 'disconnected'");
  const { organizationId, actor } = desk.ctx;
  const parts = { database: door.database, wake: () => {} };
  const ctx = createContext(parts, { organizationId, actor, now: new Date(LIMIT + SECOND) });
  await transact(ctx, (tx) => takeStep(tx, id));

  const { body } = await desk.call('GET', `/reminders/${id}/runs`);

  expect(body.data).toMatchObject([
    { status: 'missed', recipients: 0, failed: 0, reasons: { number_unavailable: 0 } },
  ]);
});
