import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Database, openDatabase, sqlOver } from '../../src/db/database.ts';
import type { Sql } from '../../src/db/sql.ts';
import { takeTurn } from '../../src/oauth/limits.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';

let files: TestDatabase;
let database: Database;
let sql: Sql;
beforeAll(async () => {
  files = await openTestDatabase();
  database = await openDatabase({ url: files.url });
  sql = sqlOver(database.system as Parameters<typeof sqlOver>[0]);
});
afterAll(async () => {
  await database.close();
  await files.close();
});

/** How many of so many requests are let through. */
async function through(count: number, ask: () => Promise<void>): Promise<number> {
  let passed = 0;
  for (let i = 0; i < count; i++)
    await ask().then(
      () => {
        passed += 1;
      },
      (error: unknown) => expect(error).toMatchObject({ code: 'rate_limited' }),
    );
  return passed;
}

describe('within a minute', () => {
  it('a client may ask for tokens 240 times from one address, which stops nobody else', async () => {
    const ask = (address: string, client: string) => () => takeTurn(sql, 'token', address, client);

    expect(await through(250, ask('203.0.113.9', 'app_one'))).toBe(240);
    expect(await through(10, ask('203.0.113.9', 'app_two'))).toBe(10);
    expect(await through(10, ask('203.0.113.10', 'app_one'))).toBe(10);
  });

  it('an address may do so 600 times for all clients together, and begin 120 requests of people', async () => {
    let client = 0;
    const anybody = (): Promise<void> => takeTurn(sql, 'token', '203.0.113.20', `app_${client++}`);
    const person = (): Promise<void> => takeTurn(sql, 'authorize', '203.0.113.20', null);

    expect(await through(610, anybody)).toBe(600);
    expect(await through(130, person)).toBe(120);
  });
});
