import { Migrator } from '@mikro-orm/migrations';
import type { MikroORM } from '@mikro-orm/postgresql';
import { migrations } from './migrations/index.ts';
import { openOrm } from './orm.ts';

/**
 * A migration that waits for a table makes everybody who comes after it wait, too: for so long and no longer. Then
 * it lets them by and tries again.
 */
const LOCK_TIMEOUT_MS = 2_000;

/** The ORM as the owner, with every migration: dear to load, and needed only when the database lacks one. */
export const openMigrator = (ownerUrl: string): Promise<MikroORM> =>
  openOrm(ownerUrl, {
    max: 2,
    settings: `-c lock_timeout=${LOCK_TIMEOUT_MS}`,
    extensions: [Migrator],
    migrations: {
      migrationsList: migrations,
      tableName: 'migrations',
      transactional: true,
      allOrNothing: true,
      disableForeignKeys: false,
      snapshot: false,
      silent: true,
    },
  });
