import { expect, it } from '@jest/globals';
import { inWorkspace } from '../../src/db/database.ts';
import type { Sql } from '../../src/db/sql.ts';
import { type Hold, holdNumber, type NumberState, numberState } from '../../src/numbers/pacer.ts';
import { openOwnDatabase } from '../support/database.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { opened } from '../support/opened.ts';

const database = opened(openOwnDatabase);

interface Resting {
  readonly sql: Sql;
  /** Lets the number rest, and says how it stands then. */
  hold(hold: Hold): Promise<NumberState>;
}

/** What is done with a number within one transaction, in which no time passes. */
async function atOnce<T>(work: (resting: Resting) => Promise<T>): Promise<T> {
  const { ctx } = await aWorkspace(database);
  const { organizationId } = ctx;
  const { id: numberId } = await aNumber(ctx);
  return inWorkspace(database, organizationId, (sql) =>
    work({
      sql,
      hold: async (hold) => {
        await holdNumber(sql, { organizationId, numberId }, hold);
        return numberState(sql, { organizationId, numberId });
      },
    }),
  );
}

const THROTTLED: Hold = { retryAfterMs: 1_000, slows: true };
const UNREACHED: Hold = { retryAfterMs: 1_000, slows: false };

it('a number rests twice as long each time in a row, for eight seconds at most', async () => {
  const rests = await atOnce(async ({ hold }) => {
    const all: number[] = [];
    for (let times = 0; times < 6; times++) all.push((await hold(THROTTLED)).heldMs);
    return all;
  });

  expect(rests).toEqual([1_000, 2_000, 4_000, 8_000, 8_000, 8_000]);
});

it('a number rests for as long as WhatsApp asks, whatever is asked for less after that', async () => {
  const rests = await atOnce(async ({ hold }) => [
    (await hold({ retryAfterMs: 60_000, slows: true })).heldMs,
    (await hold(THROTTLED)).heldMs,
  ]);

  expect(rests).toEqual([60_000, 60_000]);
});

it('a number that WhatsApp slowed stays slowed though it is not reached after that', async () => {
  const slowed = await atOnce(async ({ hold }) => [
    (await hold(UNREACHED)).slowed,
    (await hold(THROTTLED)).slowed,
    (await hold(UNREACHED)).slowed,
  ]);

  expect(slowed).toEqual([false, true, true]);
});

it('a number counts as slowed since the first time, until it was quick again', async () => {
  const minutes = await atOnce(async ({ sql, hold }) => {
    const ago = async (): Promise<unknown> => {
      const age = 'extract(epoch from now() - slowed_since)::int / 60 as minutes';
      return (await sql.rows<{ minutes: number }>(`select ${age} from pacers`, []))[0]?.minutes;
    };
    const set = (column: string, minutesAgo: number): Promise<unknown> =>
      sql.rows(`update pacers set ${column} = now() - make_interval(mins => $1)`, [minutesAgo]);
    await hold(THROTTLED);
    await set('slowed_since', 4);
    await hold(THROTTLED);
    const still = await ago();
    await set('slowed_until', 1);
    await hold(THROTTLED);
    return [still, await ago()];
  });

  expect(minutes).toEqual([4, 0]);
});
