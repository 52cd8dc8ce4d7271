import { expect, it } from '@jest/globals';
import pg from 'pg';
import type { Database } from '../../src/db/database.ts';
import { createLog } from '../../src/log.ts';
import { createReminderLane } from '../../src/relay/lanes/reminders.ts';
import { createReminder, newReminderOf } from '../../src/reminders/service.ts';
import { openOwnDatabase } from '../support/database.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aSegment } from '../support/factories/segments.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import { eventually } from '../support/waiting.ts';

const MANY = 40;
const MINUTE = 60_000;

const shared = opened(openOwnDatabase);

/** A workspace with so many reminders to a segment, planned in ten minutes. */
async function reminding(count: number) {
  const { ctx } = await aWorkspace(shared, { plan: 'escala' });
  const { id: number_id } = await aNumber(ctx);
  await aContact(ctx, { tags: ['vip'] });
  const { id: segment_id } = await aSegment(ctx);
  const time = new Date(ctx.now.getTime() + 10 * MINUTE).toISOString().slice(11, 16);
  const whom = { target: 'segment', segment_id, number_id };
  const when = { repeat: 'daily', time, time_zone: 'UTC' };
  const ids: string[] = [];
  for (let n = 0; n < count; n++)
    ids.push(
      (await createReminder(ctx, newReminderOf({ title: 'Aviso', text: 'Oi!', ...whom, ...when })))
        .id,
    );
  return {
    ids,
    isDue: () => rowsOf(ctx, 'update reminders set wakes_at = now()'),
    begun: async () => {
      const runs = await rowsOf<{ at: Date }>(ctx, 'select started_at as at from reminder_runs');
      return runs.map(({ at }) => at.getTime());
    },
  };
}

/** The lane as in half an hour, and which reminders it has taken to move one by one. */
function aLane() {
  let ms = Date.now() + 30 * MINUTE;
  const now = (): Date => {
    ms += 1;
    return new Date(ms);
  };
  let taken = '';
  const query = (asked: pg.QueryConfig) => {
    taken = JSON.stringify(asked.values);
    return shared.system.query(asked);
  };
  const system = { query } as unknown as Database['system'];
  const lane = createReminderLane({
    database: { ...shared, system },
    clock: { now, skewMs: 0 },
    waker: { wake: () => {}, onWake: () => () => {}, close: async () => {} },
    log: createLog({ level: 'silent', format: 'json' }),
  });
  const hasTaken = async (ids: readonly string[]): Promise<void> => {
    await eventually(() => {
      lane.poke();
      return ids.every((id) => taken.includes(id));
    });
  };
  return { lane, hasTaken };
}

it('a reminder to a segment waits for a few of the dozens of another workspace', async () => {
  const busy = await reminding(MANY);
  const quiet = await reminding(1);
  const { lane, hasTaken } = aLane();
  const owner = new pg.Client({ connectionString: shared.url });
  await owner.connect();
  try {
    await owner.query('begin; lock table reminder_runs in share row exclusive mode');
    await busy.isDue();
    lane.start();
    await hasTaken(busy.ids);
    await quiet.isDue();
    await hasTaken(quiet.ids);

    await owner.query('commit');
    await eventually(async () => (await busy.begun()).length === MANY);
    await eventually(async () => (await quiet.begun()).length === 1);
  } finally {
    await owner.end();
    await lane.stop();
  }

  const [at = 0] = await quiet.begun();
  expect((await busy.begun()).filter((each) => each < at).length).toBeLessThan(10);
});
