import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CallingActor, ServiceAccount } from '../access/actor.ts';
import type { Scope } from '../access/scopes.ts';
import { type Database, sqlOver } from '../db/database.ts';
import type { Sql } from '../db/sql.ts';
import { AppError, unavailable } from '../errors.ts';
import { applyQuota, type Quota, REQUESTS_PER_WINDOW } from './rate-limit.ts';

/** Who calls, and for which workspace. */
export interface Caller {
  readonly organizationId: string;
  readonly actor: CallingActor;
}

interface Entered extends Quota {
  readonly organization_id: string | null;
  readonly key_id: string;
  readonly account_id: string;
  readonly account_name: string;
  readonly scopes: Scope[];
}

const BEARER_KEY = /^bearer (sk_live_[0-9a-f]{32})$/i;
const BEARER_KEY_LENGTH = 47;
const KEY_STARTS = 7;

const unauthorized = (): AppError =>
  new AppError(
    'unauthorized',
    'Send a valid API key, as "Authorization: Bearer sk_live_…". This one is missing, unknown, expired or revoked.',
  );

/** SHA-256 of the key that was shown. A key of another shape is refused before the database is asked. */
function keyHash(req: IncomingMessage): Buffer {
  const header = req.headers.authorization;
  if (header?.length !== BEARER_KEY_LENGTH || !BEARER_KEY.test(header)) throw unauthorized();
  const key = header.slice(KEY_STARTS);
  // The scheme's case does not matter, the key's does; and Node keeps the first of two headers silently.
  if (key !== key.toLowerCase() || countHeader(req, 'authorization') > 1) throw unauthorized();
  return createHash('sha256').update(key).digest();
}

/** How often a header was really sent: Node drops repeats of some without a word. */
export function countHeader({ rawHeaders }: IncomingMessage, name: string): number {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const raw = rawHeaders[i];
    if (raw?.length === name.length && raw.toLowerCase() === name) count += 1;
  }
  return count;
}

/**
 * Checks the credential, counts the request and binds the connection to the workspace, in one
 * statement; then runs `work` on that same connection. No answer is cached: a revoked key ends here.
 */
export async function enter<T>(
  { reads }: Pick<Database, 'reads'>,
  { req, res }: { req: IncomingMessage; res: ServerResponse },
  work: (caller: Caller, sql: Sql) => Promise<T> | T,
): Promise<T> {
  const hash = keyHash(req);
  const client = await reads.connect().catch((cause: unknown) => {
    throw unavailable('The service cannot reach its database. Try again shortly.', { cause });
  });
  try {
    const { rows } = await client.query<Entered>({
      name: 'enter',
      text: 'select * from wms.enter($1, $2)',
      values: [hash, REQUESTS_PER_WINDOW],
    });
    const row = rows[0];
    if (!row?.organization_id) throw unauthorized();
    applyQuota(res, row);
    return await work(
      { organizationId: row.organization_id, actor: actorOf(row) },
      sqlOver(client),
    );
  } finally {
    client.release();
  }
}

const actorOf = (row: Entered): ServiceAccount => ({
  type: 'service_account',
  id: row.account_id,
  name: row.account_name,
  credentialId: row.key_id,
  scopes: new Set(row.scopes),
});
