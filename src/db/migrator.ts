import { Migrator } from '@mikro-orm/migrations';
import type { MikroORM } from '@mikro-orm/postgresql';
import { migrations } from './migrations/index.ts';
import { openOrm } from './orm.ts';

/**
 * While a migration waits for a table, everyone after it waits too. So it waits only this long, lets them pass and
 * tries again.
 */
const LOCK_TIMEOUT_MS = 2_000;

/** The ORM as the owner, with all migrations: expensive to load, and needed only if the database lacks one. */
export const openMigrator = (ownerUrl: string): Promise<MikroORM> =>
  openOrm(ownerUrl, {
    max: 2,
    settings: `-c lock_timeout=${LOCK_TIMEOUT_MS}`,
    extensions: [Migrator],
    migrations: {
      migrationsList: migrations,
      tableName: 'migrations',
      transactional: true,
      // One by one: what a migration locks is free before the next one scans, builds or waits.
      allOrNothing: false,
      disableForeignKeys: false,
      snapshot: false,
      silent: true,
    },
  });
