import { expect } from '@jest/globals';
import pg from 'pg';
import { migrate } from '../../../src/db/migrate.ts';

/** A migration comes to rows of a release before it, which had this instead. */
export async function upgraded(url: string, name: string, before = ''): Promise<void> {
  const owner = new pg.Client({ connectionString: url });
  await owner.connect();
  await owner.query(`${before} delete from migrations where name = '${name}'`);
  await owner.end();
  expect(await migrate(url)).toEqual([name]);
}
