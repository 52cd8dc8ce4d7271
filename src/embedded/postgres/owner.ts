import pg from 'pg';
import type { EmbeddedPostgres } from './postgres.ts';

/** The role that owns the tables and migrates. It is no superuser, so that row level security applies to it too. */
const OWNER_ROLE = 'wms_owner';

/**
 * Creates the database and its owner if they do not exist, and returns the owner's address (elsewhere
 * `DATABASE_URL`). Safe to repeat.
 */
export async function ensureOwnedDatabase(
  postgres: EmbeddedPostgres,
  name: string,
): Promise<string> {
  const client = new pg.Client({ connectionString: postgres.url() });
  await client.connect();
  const owner = client.escapeIdentifier(OWNER_ROLE);
  const database = client.escapeIdentifier(name);
  try {
    const role = await client.query('select 1 from pg_roles where rolname = $1', [OWNER_ROLE]);
    if (role.rowCount === 0) await client.query(`create role ${owner}`);
    await client.query(
      `alter role ${owner} login createrole nosuperuser nobypassrls password ` +
        client.escapeLiteral(postgres.ownerPassword),
    );
    const found = await client.query('select 1 from pg_database where datname = $1', [name]);
    if (found.rowCount === 0) await client.query(`create database ${database} owner ${owner}`);
  } finally {
    await client.end();
  }
  return `postgresql://${OWNER_ROLE}:${postgres.ownerPassword}@127.0.0.1:${postgres.port}/${name}`;
}
