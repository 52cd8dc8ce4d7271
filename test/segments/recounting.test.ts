import { expect, it } from '@jest/globals';
import pg from 'pg';
import type { Context } from '../../src/context.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { transact } from '../../src/db/transact.ts';
import { changeSegment } from '../../src/segments/changing.ts';
import { listSegments } from '../../src/segments/reading.ts';
import { recountSegments } from '../../src/segments/recounting.ts';
import { createSegment } from '../../src/segments/service.ts';
import { openOwnDatabase, untilWaiting } from '../support/database.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';

const database = opened(openOwnDatabase);

const RULES = { field: 'tag', op: 'has_any', value: ['vip'] } as const;
const clock = { now: () => new Date(), skewMs: 0 };

const countsIn = async (ctx: Context): Promise<(number | null)[]> =>
  transact(ctx, async (tx) =>
    (await listSegments(tx, { limit: 10, after: null })).data.map(({ count }) => count),
  );

/** As it is when it was counted a day ago. */
const aDayLater = ({ organizationId }: Context): Promise<unknown> =>
  inWorkspace(database, organizationId, (sql) =>
    sql.rows(`update segments set count_due_at = count_due_at - interval '1 day'`),
  );

it('a segment is counted anew after a day, by one of several processes, with its own people alone', async () => {
  const { ctx } = await aWorkspace(database);
  const { ctx: elsewhere } = await aWorkspace(database);
  await createSegment(ctx, { name: 'Vips', rules: RULES });
  await createSegment(elsewhere, { name: 'Vips', rules: RULES });
  await aContact(ctx, { tags: ['vip'] });
  await aContact(ctx, { tags: ['vip'] });

  const early = await recountSegments({ database, clock });
  const before = await countsIn(ctx);
  await aDayLater(ctx);
  await Promise.all([1, 2, 3].map(() => recountSegments({ database, clock })));

  expect([early, before]).toEqual([false, [0]]);
  expect([await countsIn(ctx), await countsIn(elsewhere)]).toEqual([[2], [0]]);
  expect(await recountSegments({ database, clock })).toBe(false);
});

it('segments that were due at the same moment are due at several the next day', async () => {
  const { ctx } = await aWorkspace(database);
  for (const name of ['Um', 'Dois', 'Três', 'Quatro'])
    await createSegment(ctx, { name, rules: RULES });
  await rowsOf(ctx, `update segments set count_due_at = now() - interval '1 second'`);

  while (await recountSegments({ database, clock }));

  const [next] = await rowsOf(
    ctx,
    `select count(distinct count_due_at)::int as moments,
         max(count_due_at) - min(count_due_at) > interval '1 minute' as apart,
         min(count_due_at) > now() + interval '19 hours' as late, max(count_due_at) <= now() + interval '1 day' as early
       from segments`,
  );
  expect(next).toEqual({ moments: 4, apart: true, late: true, early: true });
});

it('rules that somebody changes while the former ones are counted keep the count of that change', async () => {
  const { ctx } = await aWorkspace(database);
  await aContact(ctx, { tags: ['vip'] });
  const rules = { field: 'deal.status', op: 'has_any', value: ['open'] } as const;
  const { id } = await createSegment(ctx, { name: 'Vips', rules });
  await aDayLater(ctx);
  const owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
  // Whoever asks about deals waits.
  await owner.query('begin; lock table deals in access exclusive mode');

  const counting = recountSegments({ database, clock });
  await untilWaiting(database.app);
  await changeSegment(ctx, id, { name: 'Vips', rules: RULES });
  await owner.end();
  await counting;

  expect(await countsIn(ctx)).toEqual([1]);
});
