import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type pg from 'pg';
import type { CallingActor, MemberActor, ServiceAccount } from '../../access/actor.ts';
import type { Scope } from '../../access/scopes.ts';
import { type Database, sqlOver } from '../../db/database.ts';
import type { Sql } from '../../db/sql.ts';
import { AppError, unavailable } from '../../errors.ts';
import { goneFrom } from '../serving/gone.ts';
import type { KeyOwner } from './key-owners.ts';
import { applyQuota, type Quota, REQUESTS_PER_WINDOW } from './rate-limit.ts';

/** The caller, and their workspace. */
export interface Caller {
  readonly organizationId: string;
  readonly actor: CallingActor;
}

/** What a token stands for, according to its issuer, before the workspace is asked about the person. */
export interface KnownToken {
  readonly organizationId: string;
  readonly memberId: string;
  /** The app's connection or the console's session, to which rate limits and idempotency belong. */
  readonly credentialId: string;
  /** Null for the console. */
  readonly app: MemberActor['app'];
}

/** How a token is turned into a caller. */
export interface Credentials {
  readonly database: Pick<Database, 'reads' | 'turns'>;
  /** Checks a token that is not an API key; null if it is unknown, expired or revoked. */
  readonly findMember?: (token: string) => Promise<KnownToken | null>;
  readonly keyOwner: KeyOwner;
  /** The person with their current rights in the workspace; null if they may not enter. */
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
    'Send a valid API key or access token, as "Authorization: Bearer …". This one is missing, unknown, expired, revoked, or for another resource.',
  );

/** Node silently keeps the first of two headers, so anyone who sends two is refused, whichever is valid. */
function bearer(req: IncomingMessage): string {
  const token = BEARER.exec(req.headers.authorization ?? '')?.[1];
  if (!token || countHeader(req, 'authorization') > 1) throw unauthorized();
  return token;
}

/** How often a header was really sent: Node silently drops repetitions of some. */
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

/** Checks the credential, counts the request and binds the connection to the workspace. */
type Come = (client: pg.PoolClient) => Promise<Caller>;
type Work<T> = (caller: Caller, sql: Sql) => Promise<T> | T;

interface WayIn {
  readonly come: Come;
  /** The workspace, or the hash of an API key whose workspace only the database knows. */
  readonly owner: string | Buffer;
}

/** By the token's form: one that cannot be valid is refused without asking the database. */
async function wayIn(
  { findMember, memberActor }: Omit<Credentials, 'keyOwner'>,
  { req, res, ip }: Coming,
): Promise<WayIn> {
  const token = bearer(req);
  if (API_KEY.test(token)) {
    const keyHash = hash('sha256', token, 'buffer');
    return { owner: keyHash, come: (client) => enterByKey(client, res, keyHash, ip) };
  }
  const known = ANY_KEY.test(token) ? null : await findMember?.(token);
  if (!known) throw unauthorized();
  const { organizationId: owner } = known;
  return { owner, come: (client) => enterAsMember(client, res, known, memberActor) };
}

/**
 * Checks the credential, counts the request and binds a connection to the workspace, when it is the workspace's turn;
 * then runs `work` on the same connection. Nothing is cached: a revoked key, or a person who lost the seat, is
 * refused here.
 */
export async function enter<T>(
  credentials: Credentials,
  coming: Coming,
  work: Work<T>,
): Promise<T> {
  const { come, owner } = await wayIn(credentials, coming);
  const whose = typeof owner === 'string' ? owner : await credentials.keyOwner(owner);
  if (!whose) throw unauthorized();
  return checkedOut(credentials, { whose, come, res: coming.res }, work);
}

/**
 * Checks the credential and counts the request, for callers that read nothing: one short statement, which does not wait
 * for slow reports of the workspace. Throws 401 and 429 as `enter`.
 */
export async function authenticate(
  credentials: Omit<Credentials, 'keyOwner'>,
  coming: Coming,
): Promise<Caller> {
  const { come } = await wayIn(credentials, coming);
  return checkedOut(credentials, { whose: null, come, res: coming.res }, (caller) => caller);
}

/**
 * `enter` for a person whose token was checked elsewhere: the console's session, an agent's token. Throws 401 if the
 * workspace does not admit this person, 429 beyond the credential's rate.
 */
export const enterKnown = <T>(
  credentials: Omit<Credentials, 'findMember' | 'keyOwner'>,
  { res, known }: { res: ServerResponse; known: KnownToken },
  work: Work<T>,
): Promise<T> => {
  const come: Come = (client) => enterAsMember(client, res, known, credentials.memberActor);
  return checkedOut(credentials, { whose: known.organizationId, come, res }, work);
};

interface Turn {
  /** The workspace whose share of the connections it uses; null for none. */
  readonly whose: string | null;
  readonly come: Come;
  readonly res: ServerResponse;
}

function checkedOut<T>(
  { database: { reads, turns } }: Pick<Credentials, 'database'>,
  { whose, come, res }: Turn,
  work: Work<T>,
): Promise<T> {
  const run = async (): Promise<T> => {
    const client = await reads.connect().catch((cause: unknown) => {
      throw unavailable('The service cannot reach its database. Try again shortly.', { cause });
    });
    try {
      return await work(await come(client), sqlOver(client));
    } finally {
      client.release();
    }
  };
  return turns.reads.inTurn(whose, run, goneFrom(res));
}

async function enterByKey(
  client: pg.PoolClient,
  res: ServerResponse,
  keyHash: Buffer,
  ip: string | null,
): Promise<Caller> {
  const { rows } = await client.query<Entered>({
    name: 'enter',
    text: 'select * from wms.enter($1, $2, $3)',
    values: [keyHash, REQUESTS_PER_WINDOW, ip],
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
