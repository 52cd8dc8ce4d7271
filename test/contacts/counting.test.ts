import { expect, it } from '@jest/globals';
import pg from 'pg';
import { countContacts } from '../../src/contacts/counting.ts';
import { deleteContact } from '../../src/contacts/deleting.ts';
import type { Context } from '../../src/context.ts';
import { transact } from '../../src/db/transact.ts';
import { lockedLimit } from '../../src/workspaces/plans.ts';
import { upgraded } from '../db/support/upgrading.ts';
import { openOwnDatabase } from '../support/database.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';

let ctx: Context;

const database = opened(openOwnDatabase);

const MANY = `
insert into contacts (organization_id, id, name, origin, created_via, created_at, updated_at)
select $1, 'con_' || lpad(n::text, 26, '0'), 'Bia', 'import', 'import', now(), now() from generate_series(1, 300) n`;

const rows = <R>(text: string) => rowsOf<R>(ctx, text);

const counted = (): Promise<number> =>
  transact({ ...ctx, em: ctx.em.fork() }, async (tx) => {
    await lockedLimit(tx, 'contacts');
    return countContacts(tx);
  });

const kept = async (): Promise<number> => (await rows('select id from contact_counts')).length;

it('a workspace counts its own contacts, also after some are deleted', async () => {
  ({ ctx } = await aWorkspace(database));
  const { ctx: other } = await aWorkspace(database);
  await aContact(other);
  expect(await counted()).toBe(0);

  const { id } = await aContact(ctx);
  await aContact(ctx);
  await rowsOf(ctx, MANY, [ctx.organizationId]);
  await deleteContact(ctx, id, []);

  expect(await counted()).toBe(301);
});

it('what was added one by one is folded into one row, while others are being added', async () => {
  ({ ctx } = await aWorkspace(database));
  const some = (n: number) => Promise.all(Array.from({ length: n }, () => aContact(ctx)));
  for (let round = 0; round < 12; round += 1) await some(10);

  const [sum] = await Promise.all([counted(), some(10), some(10)]);

  expect(sum).toBeGreaterThanOrEqual(120);
  expect(await counted()).toBe(140);
  expect(await kept()).toBeLessThan(100);
});

const COUNTED_BEFORE = '20261127_0085_contacts_counted_before';

it('contacts of a release before are counted when it is upgraded, while others are being added', async () => {
  ({ ctx } = await aWorkspace(database));
  await rowsOf(ctx, MANY, [ctx.organizationId]);
  const writer = new pg.Client({ connectionString: database.url });
  await writer.connect();
  try {
    await writer.query('truncate contact_counts');
    await writer.query('begin; set local role wms_app');
    await writer.query(`set local app.organization = '${ctx.organizationId}'`);
    await writer.query(MANY.replaceAll("'con_'", "'con_1'").replace('26', '25'), [
      ctx.organizationId,
    ]);
    await upgraded(database.url, COUNTED_BEFORE);
    await writer.query('commit');
  } finally {
    await writer.end();
  }

  expect(await rows('select added from contact_counts')).toEqual([{ added: 300 }, { added: 300 }]);
});

it('an upgrade counts nobody twice', async () => {
  ({ ctx } = await aWorkspace(database));
  await rowsOf(ctx, MANY, [ctx.organizationId]);

  await upgraded(database.url, COUNTED_BEFORE);

  expect(await counted()).toBe(300);
  expect(await kept()).toBe(1);
});
