import { openOrm } from './orm.ts';

/**
 * Applies what is missing, as the owner that `DATABASE_URL` names, and returns the names applied.
 * An advisory lock lets several processes start at once: the others wait and find nothing to do.
 */
export async function migrate(ownerUrl: string): Promise<string[]> {
  const orm = await openOrm(ownerUrl, { max: 2 });
  try {
    const lock = await lockMigrations(orm.em.fork());
    try {
      const applied = await orm.migrator.up();
      return applied.map((migration) => migration.name);
    } finally {
      await lock.release();
    }
  } finally {
    await orm.close();
  }
}

type Orm = Awaited<ReturnType<typeof openOrm>>;

async function lockMigrations(em: Orm['em']): Promise<{ release: () => Promise<void> }> {
  await em.begin();
  await em.execute('select pg_advisory_xact_lock(7261000)');
  return { release: () => em.rollback() };
}

/** Names of migrations the database has not seen; empty when it is up to date. */
export async function pendingMigrations(ownerUrl: string): Promise<string[]> {
  const orm = await openOrm(ownerUrl, { max: 1 });
  try {
    const pending = await orm.migrator.getPending();
    return pending.map((migration) => migration.name);
  } finally {
    await orm.close();
  }
}
