import { Migrator } from '@mikro-orm/migrations';
import type { MikroORM } from '@mikro-orm/postgresql';
import { migrations } from './migrations/index.ts';
import { openOrm } from './orm.ts';

/** The ORM as the owner, with every migration: dear to load, and needed only when the database lacks one. */
export const openMigrator = (ownerUrl: string): Promise<MikroORM> =>
  openOrm(ownerUrl, {
    max: 2,
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
