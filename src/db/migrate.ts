import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MikroORM } from '@mikro-orm/postgresql';
import { asOwner } from './owner.ts';
import { partitionsAhead } from './partitions.ts';
import { DEADLOCK, LOCK_TIMEOUT, UNDEFINED_TABLE } from './sqlstates.ts';
import { expectOfWorkspaces } from './statistics.ts';
import { refuseOldServer } from './unusable.ts';

/** Between attempts on a table that someone else is using (`migrator.ts`). */
const PAUSE_MS = 1_000;
const TRIES = 100;
/** Not available in time, or only to one of those who wait for each other. */
const LOCKED: readonly unknown[] = [LOCK_TIMEOUT, DEADLOCK];

/**
 * Applies missing migrations, as the owner in `DATABASE_URL`, and returns their names. An advisory lock lets several
 * processes start at once: the others wait and find nothing to do. After one that fails, those before it stay, and the
 * next run begins with it. A database that lacks none gets what else it lacks: partitions of the days ahead, and what
 * plans expect.
 *
 * @param leftOut told the tables of which plans go on knowing too little, because others held them
 */
export async function migrate(
  ownerUrl: string,
  leftOut: (tables: readonly string[]) => void = () => {},
): Promise<string[]> {
  const missing = await pendingMigrations(ownerUrl);
  const applied = missing.length > 0 ? await applyMissing(ownerUrl) : [];
  await patiently(() => partitionsAhead(ownerUrl));
  const left = await expectOfWorkspaces(ownerUrl);
  if (left.length > 0) leftOut(left);
  return applied;
}

/** For the start of a process: a database that lacks nothing is left alone. */
export async function migrateIfBehind(
  ownerUrl: string,
  leftOut: (tables: readonly string[]) => void,
): Promise<void> {
  if ((await pendingMigrations(ownerUrl)).length > 0) await migrate(ownerUrl, leftOut);
}

async function applyMissing(ownerUrl: string): Promise<string[]> {
  const { openMigrator } = await import('./migrator.ts');
  const orm = await openMigrator(ownerUrl);
  try {
    const lock = await lockMigrations(orm.em.fork());
    try {
      const names = (await orm.migrator.getPending()).map((migration) => migration.name);
      for (const name of names) await patiently(() => orm.migrator.up({ migrations: [name] }));
      return names;
    } finally {
      await lock.release();
    }
  } finally {
    await orm.close();
  }
}

/** A migration is one transaction, so an abandoned attempt leaves nothing. */
async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await work();
    } catch (error) {
      if (tried === TRIES || !isLocked(error)) throw error;
      await sleep(PAUSE_MS);
    }
  }
}

const isLocked = (error: unknown): boolean =>
  error instanceof Error &&
  (LOCKED.includes((error as { code?: unknown }).code) || isLocked(error.cause));

async function lockMigrations(em: MikroORM['em']): Promise<{ release: () => Promise<void> }> {
  await em.begin();
  // Another process may migrate for minutes.
  await em.execute('set local lock_timeout = 0');
  await em.execute('select pg_advisory_xact_lock(7261000)');
  return { release: () => em.rollback() };
}

/**
 * Names of migrations that the database lacks; empty if it is up to date. Every process asks at its start, so the
 * migrations themselves are not loaded: they are named after their files.
 */
export async function pendingMigrations(ownerUrl: string): Promise<string[]> {
  const applied = await appliedMigrations(ownerUrl);
  return readdirSync(new URL('migrations', import.meta.url))
    .map((file) => file.replace(/\.ts$/, ''))
    .filter((name) => name !== 'index' && !applied.has(name))
    .toSorted();
}

const appliedMigrations = (ownerUrl: string): Promise<Set<string>> =>
  asOwner(ownerUrl, async (client) => {
    await refuseOldServer(client);
    try {
      const { rows } = await client.query<{ name: string }>('select name from migrations');
      return new Set(rows.map(({ name }) => name));
    } catch (error) {
      // Nothing was migrated yet.
      if ((error as { code?: string }).code === UNDEFINED_TABLE) return new Set();
      throw error;
    }
  });
