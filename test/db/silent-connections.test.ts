import { describe, expect, it } from '@jest/globals';
import { asSystem, type Database, inWorkspace, openDatabase } from '../../src/db/database.ts';
import type { Sql } from '../../src/db/sql.ts';
import { transact } from '../../src/db/transact.ts';
import { persistentConnection } from '../../src/relay/processes/persistent-connection.ts';
import { openTestDatabase } from '../support/database.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { opened } from '../support/opened.ts';
import { onPostgresWire } from '../support/postgres-wire.ts';

/** A statement may take so long; a database that says nothing for longer is not there any more. */
const STATEMENT_MS = 4_000;

const files = opened(openTestDatabase);

describe('connections on which nothing comes any more, and which nobody closes', () => {
  it('are given up, each pool for itself, and replaced', async () => {
    await onPostgresWire(files.url, async (wire) => {
      const database: Database = await openDatabase({ url: wire.url, statementMs: STATEMENT_MS });
      try {
        const { ctx, workspaceId } = await aWorkspace(database);
        const ask = async (sql: Sql): Promise<number> => (await sql.rows('select 1')).length;
        const each = (): Promise<unknown>[] => [
          transact(ctx, (tx) => ask(tx.sql)),
          inWorkspace(database, workspaceId, ask),
          asSystem(database, ask),
          database.reads.query('select 1').then(({ rows }) => rows.length),
        ];
        expect(await Promise.all(each())).toEqual([1, 1, 1, 1]);

        wire.silence();
        const silent = await Promise.allSettled(each());

        expect(silent.map(({ status }) => status)).toEqual(Array(4).fill('rejected'));
        expect(await Promise.all(each())).toEqual([1, 1, 1, 1]);
      } finally {
        await database.close();
      }
    });
  });
});

it('The server probes the connection by which a process shows that it is alive, too', async () => {
  const standing = persistentConnection(files);
  await standing.ready;

  const shown = await standing.client?.query('show tcp_keepalives_idle');
  await standing.close();

  expect(shown?.rows).toEqual([{ tcp_keepalives_idle: '10' }]);
});
