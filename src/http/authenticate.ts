import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type pg from 'pg';
import type { CallingActor, MemberActor, ServiceAccount } from '../access/actor.ts';
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

/** Whom a token stands for: what its issuer says, before the workspace is asked about the person. */
export interface KnownToken {
  readonly organizationId: string;
  readonly memberId: string;
  /** The app's connection or the console's session: rate limits and idempotency belong to it. */
  readonly credentialId: string;
  /** Null for the console. */
  readonly app: MemberActor['app'];
}

/** How a token is turned into whoever calls. */
export interface Credentials {
  readonly database: Pick<Database, 'reads'>;
  /** Checks a token that is no API key; null when it is unknown, expired or revoked. */
  readonly findMember?: (token: string) => Promise<KnownToken | null>;
  /** The person as the workspace knows them at this moment; null when they may not come in. */
  readonly memberActor: (
    sql: Sql,
    organizationId: string,
    memberId: string,
    through: Pick<MemberActor, 'credentialId' | 'app'>,
  ) => Promise<MemberActor | null>;
}

interface Entered extends Quota {
  readonly organization_id: string | null;
  readonly key_id: string;
  readonly account_id: string;
  readonly account_name: string;
  readonly scopes: Scope[];
}

const BEARER = /^bearer ([A-Za-z0-9._~+/=-]{1,8192})$/i;
const API_KEY = /^sk_live_[0-9a-f]{32}$/;
const ANY_KEY = /^sk_/;

const unauthorized = (): AppError =>
  new AppError(
    'unauthorized',
    'Send a valid API key or access token, as "Authorization: Bearer …". This one is missing, unknown, expired or revoked.',
  );

/** Node keeps the first of two headers silently: whoever sends two is refused, whichever is good. */
function bearer(req: IncomingMessage): string {
  const token = BEARER.exec(req.headers.authorization ?? '')?.[1];
  if (!token || countHeader(req, 'authorization') > 1) throw unauthorized();
  return token;
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

interface Coming {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly ip: string | null;
}

type WayIn = (client: pg.PoolClient, coming: Coming) => Promise<Caller>;

/** By the token's shape: one that can be nobody's is refused before the database is asked. */
async function wayIn({ findMember, memberActor }: Credentials, token: string): Promise<WayIn> {
  if (API_KEY.test(token)) return (client, coming) => enterByKey(client, coming, token);
  const known = ANY_KEY.test(token) ? null : await findMember?.(token);
  if (!known) throw unauthorized();
  return (client, { res }) => enterAsMember(client, res, known, memberActor);
}

/**
 * Checks the credential, counts the request and binds the connection to the workspace; then runs `work` on
 * that same connection. No answer is cached: a revoked key, or a person who lost the seat, ends here.
 */
export async function enter<T>(
  credentials: Credentials,
  coming: Coming,
  work: (caller: Caller, sql: Sql) => Promise<T> | T,
): Promise<T> {
  const come = await wayIn(credentials, bearer(coming.req));
  return checkedOut(credentials, (client) => come(client, coming), work);
}

/**
 * The same for a person whose token somebody else checked: the console's session, an agent's token.
 * Throws 401 when the workspace does not let this person in, 429 beyond the credential's share.
 */
export const enterKnown = <T>(
  credentials: Omit<Credentials, 'findMember'>,
  { res, known }: { res: ServerResponse; known: KnownToken },
  work: (caller: Caller, sql: Sql) => Promise<T> | T,
): Promise<T> =>
  checkedOut(
    credentials,
    (client) => enterAsMember(client, res, known, credentials.memberActor),
    work,
  );

async function checkedOut<T>(
  { database }: Pick<Credentials, 'database'>,
  come: (client: pg.PoolClient) => Promise<Caller>,
  work: (caller: Caller, sql: Sql) => Promise<T> | T,
): Promise<T> {
  const client = await database.reads.connect().catch((cause: unknown) => {
    throw unavailable('The service cannot reach its database. Try again shortly.', { cause });
  });
  try {
    return await work(await come(client), sqlOver(client));
  } finally {
    client.release();
  }
}

async function enterByKey(
  client: pg.PoolClient,
  { res, ip }: Coming,
  key: string,
): Promise<Caller> {
  const { rows } = await client.query<Entered>({
    name: 'enter',
    text: 'select * from wms.enter($1, $2, $3)',
    values: [hash('sha256', key, 'buffer'), REQUESTS_PER_WINDOW, ip],
  });
  const row = rows[0];
  if (!row?.organization_id) throw unauthorized();
  applyQuota(res, row);
  return { organizationId: row.organization_id, actor: serviceAccount(row) };
}

async function enterAsMember(
  client: pg.PoolClient,
  res: ServerResponse,
  { organizationId, memberId, credentialId, app }: KnownToken,
  memberActor: Credentials['memberActor'],
): Promise<Caller> {
  const { rows } = await client.query<Quota>({
    name: 'enter-as',
    text: 'select * from wms.enter_as($1, $2, $3)',
    values: [organizationId, credentialId, REQUESTS_PER_WINDOW],
  });
  const through = { credentialId, app };
  const actor = await memberActor(sqlOver(client), organizationId, memberId, through);
  const quota = rows[0];
  if (!actor || !quota) throw unauthorized();
  applyQuota(res, quota);
  return { organizationId, actor };
}

const serviceAccount = (row: Entered): ServiceAccount => ({
  type: 'service_account',
  id: row.account_id,
  name: row.account_name,
  credentialId: row.key_id,
  scopes: new Set(row.scopes),
});
