import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { importRows } from '../../src/contacts/imports/rows.ts';
import { optOutRefused } from '../../src/contacts/opt-outs/refused.ts';
import { newContactBody } from '../../src/contacts/schema.ts';
import { createContact } from '../../src/contacts/service.ts';
import type { Context } from '../../src/context.ts';
import { transact } from '../../src/db/transact.ts';
import { newId } from '../../src/ids.ts';
import { analyze } from '../support/analyzing.ts';
import { type OwnDatabase, openOwnDatabase } from '../support/database.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { rowsRead } from '../support/rows-read.ts';

const TABLES = ['contacts', 'contact_identities'];
const PEOPLE = 3_000;
/** A few contacts with their phones, a few times each. */
const ROWS = 100;

let database: OwnDatabase;
let ctx: Context;

const phoneOf = (n: number): string => `+55119${70_000_000 + n}`;

const PEOPLE_WITH_PHONES = `
insert into contacts (organization_id, id, name, phone, phone_key, origin, created_via, created_at, updated_at)
select $1, 'con_' || lpad(n::text, 26, '0'), 'Bia', '+55119' || (70000000 + n), '+5511' || (70000000 + n),
  'import', 'import', now(), now() from generate_series(1, ${PEOPLE}) n`;

beforeAll(async () => {
  database = await openOwnDatabase({ poolSize: 3 });
  ({ ctx } = await aWorkspace(database));
  await transact(ctx, ({ sql }) => sql.rows(PEOPLE_WITH_PHONES, [ctx.organizationId]));
  await analyze(database.url, 'contacts', 'contact_identities');
});

afterAll(() => database.close());

/** What became of these rows, and how many rows that read. */
const imported = (rows: readonly Readonly<Record<string, unknown>>[]) =>
  transact({ ...ctx, em: ctx.em.fork() }, async (tx) => {
    const before = await rowsRead(tx.sql, TABLES);
    const outcomes = (await importRows(tx, rows)).map(({ outcome }) => outcome);
    return { outcomes, read: (await rowsRead(tx.sql, TABLES)) - before };
  });

describe('an import of people whom a large workspace knows', () => {
  it('reads them, and counts nobody else', async () => {
    const { outcomes, read } = await imported([
      { name: 'Bia', phone: phoneOf(1) },
      { name: 'Nobody', phone: 'none' },
    ]);

    expect(outcomes).toEqual(['unchanged', 'invalid']);
    expect(read).toBeLessThan(ROWS);
  });

  it('counts all for the plan without reading them', async () => {
    const { outcomes, read } = await imported([
      { name: 'Bia', phone: phoneOf(3) },
      { name: 'Caio', phone: phoneOf(PEOPLE + 1) },
    ]);

    expect(outcomes).toEqual(['unchanged', 'created']);
    expect(read).toBeLessThan(ROWS);
  });
});

it('somebody new is added to a large workspace without reading the others', async () => {
  const read = await transact({ ...ctx, em: ctx.em.fork() }, async (tx) => {
    const before = await rowsRead(tx.sql, TABLES);
    await createContact(tx, newContactBody.parse({ name: 'Davi', phone: phoneOf(PEOPLE + 2) }));
    return (await rowsRead(tx.sql, TABLES)) - before;
  });

  expect(read).toBeLessThan(ROWS);
});

it('somebody for whom WhatsApp refused a message is opted out without reading the others', async () => {
  const last = `con_${String(PEOPLE).padStart(26, '0')}`;
  const { read, optedOut } = await transact({ ...ctx, em: ctx.em.fork() }, async (tx) => {
    const before = await rowsRead(tx.sql, TABLES);
    await optOutRefused(tx, [{ contactId: last, messageId: newId('msg') }]);
    const after = await rowsRead(tx.sql, TABLES);
    const found = await tx.sql.rows('select opted_out from contacts where id = $1', [last]);
    return { read: after - before, optedOut: found };
  });

  expect(optedOut).toEqual([{ opted_out: true }]);
  expect(read).toBeLessThan(ROWS);
});
