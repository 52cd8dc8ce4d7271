import { expect, it } from '@jest/globals';
import type { News } from '../../src/context.ts';
import { transact } from '../../src/db/transact.ts';
import { WhatsAppNumber } from '../../src/numbers/entities.ts';
import { openOwnDatabase } from '../support/database.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';

const database = opened(openOwnDatabase);

const endedAs = (state: string): string =>
  `do $$ begin raise 'as PostgreSQL ends it' using errcode = '${state}'; end $$`;

it.each([
  ['as a deadlock', '40P01'],
  ['because it waited too long for a lock', '55P03'],
])(
  'a use case that is ended %s begins again, and nothing is left of its first attempt',
  async (_, state) => {
    const woken: News[] = [];
    const { ctx: own } = await aWorkspace(database);
    const ctx = { ...own, wake: (news: News) => void woken.push(news) };
    const { id } = await aNumber(ctx, { name: 'Loja' });
    const read: string[] = [];

    await transact(ctx, async (tx) => {
      const number = await tx.em.findOneOrFail(WhatsAppNumber, { id });
      read.push(number.name);
      number.name = 'Matriz';
      await tx.em.flush();
      await transact(tx, async (inner) => {
        inner.recorded.add(read.length === 1 ? 'events' : 'commands');
        if (read.length === 1) await inner.sql.rows(endedAs(state));
      });
    });

    expect([read, woken]).toEqual([['Loja', 'Loja'], ['commands']]);
    expect(await rowsOf(ctx, 'select name from numbers')).toEqual([{ name: 'Matriz' }]);
  },
);

it('a use case that is ended as a deadlock three times fails', async () => {
  const { ctx } = await aWorkspace(database);
  let attempts = 0;

  const done = transact(ctx, async (tx) => {
    attempts += 1;
    await tx.sql.rows(endedAs('40P01'));
  });

  await expect(done).rejects.toMatchObject({ code: '40P01' });
  expect(attempts).toBe(3);
});
