import type pg from 'pg';
import { isNotNow } from './sqlstates.ts';

/** A database that does not suit this service, however well it answers. The message says what to change. */
export class UnfitDatabase extends Error {
  override readonly name = 'UnfitDatabase';
}

/** Migrations grant roles with options of their own, and segments ask whether a text is a date. */
const OLDEST = 16;

/** Throws UnfitDatabase at a server on which a migration would fail halfway. */
export async function refuseOldServer(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ number: string; version: string }>(
    "select current_setting('server_version_num') as number, current_setting('server_version') as version",
  );
  const [server] = rows;
  if (!server || Number(server.number) >= OLDEST * 10_000) return;
  throw new UnfitDatabase(`PostgreSQL ${server.version} is too old: ${OLDEST} or later is needed.`);
}

/**
 * Why nobody can work with a database: nothing listens there, it takes nobody at the moment, or the host, password,
 * role, database or certificate is wrong, or it does not suit. Undefined if the failure is a bug of ours.
 */
export function whyUnusable(error: Error): string | undefined {
  const { code = '' } = error as { code?: string };
  const isOutside =
    error instanceof UnfitDatabase ||
    /^(25006|28...|3D000|42501|53...|57P..|E[A-Z]+|\w*CERT\w*|UNABLE_TO_\w+)$/.test(code) ||
    /not support SSL|timeout expired/.test(error.message);
  return isOutside ? (error.message || code).replace(/\.$/, '') : undefined;
}

/** Why the database cannot do now what it was asked, in its own words. */
export function whyNotNow(error: unknown): string | undefined {
  for (let each = error; each instanceof Error; each = each.cause) {
    const { code } = each as { code?: unknown };
    // These classes are about its connections, its means and its operator, whatever the case.
    if (isNotNow(each) || /^(08...|53...|57P..)$/.test(String(code))) return each.message;
  }
  return undefined;
}
