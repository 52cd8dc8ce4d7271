import { createHash } from 'node:crypto';
import { createTaking } from '../concurrency.ts';
import type { Keyring } from '../crypto/keyring.ts';
import { type Database, inWorkspace, sqlOver } from '../db/database.ts';
import { first, type Sql } from '../db/sql.ts';
import { HOUR_MS } from '../durations.ts';
import { messageOf } from '../errors.ts';
import type { DownloadResult, WhatsApp } from '../gateway/port.ts';
import type { Log } from '../log.ts';
import { sendingNumber } from '../numbers/sending.ts';
import { keepPiece, PIECE_BYTES } from './bytes.ts';
import { MAX_FILE_BYTES } from './kinds.ts';

export interface FetchDeps {
  readonly database: Pick<Database, 'app' | 'system'>;
  readonly gateway: Pick<WhatsApp, 'download'>;
  readonly keyring: Keyring;
  readonly log: Log;
  /** The process ends: another one fetches the file. */
  readonly stopping?: AbortSignal | undefined;
}

interface Due {
  readonly organizationId: string;
  readonly mediaId: string;
  readonly tries: number;
}

/** Longer than the longest download; after that another process may try. */
const LEASE_MS = 180_000;
/** 1 minute, doubling up to 6 hours. */
const FIRST_RETRY_MS = 60_000;
const LONGEST_RETRY_MS = 6 * HOUR_MS;
/** WhatsApp forgets the file of a person's message after 7 days; only what was uploaded to it stays for 30. */
const MOST_DAYS = 7;

/** How many of those that are due are looked over for whose turn it is. */
const LOOKED_OVER = 10_000;

/** Of a process's. A slow download may take minutes, and the places are few. */
const AT_ONCE_OF_ONE = 2;

// The oldest due file of the next workspace after $1: whoever has thousands holds up nobody who has one. Those of $2 have
// as many under way as they may. Only its row is locked, and none that is not due is read.
const TAKE = `
with turn as (
  select organization_id from (
    select organization_id from media_fetches where not_before <= now() and organization_id <> all($2::text[])
    order by not_before limit ${LOOKED_OVER}) look
  group by organization_id order by organization_id <= $1, organization_id limit 1
), due as (
  select f.organization_id, f.media_id from turn t join media_fetches f on f.organization_id = t.organization_id
  where f.not_before <= now() order by f.not_before, f.media_id limit 1 for update of f skip locked
)
update media_fetches f set tries = f.tries + 1, not_before = now() + ${LEASE_MS} * interval '1 millisecond' from due d
where f.organization_id = d.organization_id and f.media_id = d.media_id
returning f.organization_id as "organizationId", f.media_id as "mediaId", f.tries`;

/**
 * Downloads due files from people one after the other, the workspaces in turn. Any number of callers may do so side by
 * side, of whom one workspace keeps two busy at most.
 *
 * @returns what downloads the next file, and says whether there was one
 */
export function createFetcher(deps: FetchDeps): () => Promise<boolean> {
  const sql = sqlOver(deps.database.system);
  let latest = '';
  return createTaking(AT_ONCE_OF_ONE, async (full) => {
    const [due] = await sql.rows<Due>(TAKE, [latest, full], 'media-fetch-take');
    if (!due) return null;
    latest = due.organizationId;
    return { whose: due.organizationId, work: () => fetchOne(deps, due) };
  });
}

async function fetchOne(deps: FetchDeps, due: Due): Promise<void> {
  const { database } = deps;
  const result = await ask(deps, due);
  const outcome = result.kind === 'found' ? await tryToKeep(database, due, result) : result;
  if (outcome.kind === 'kept') return;
  await inWorkspace(database, due.organizationId, async (sql) => {
    if (outcome.kind === 'later' && deps.stopping?.aborted) {
      await giveBack(sql, due);
      return;
    }
    const waits = outcome.kind === 'later' && (await later(sql, due));
    if (waits || (await giveUp(sql, due))) tell(deps.log, due, outcome.message, waits);
  });
}

/** What fails for a moment is nobody's business; what goes on failing has a cause that operators can remove. */
function tell(
  log: Log,
  { organizationId, mediaId, tries }: Due,
  reason: string,
  waits: boolean,
): void {
  const about = { organizationId, mediaId, tries, reason };
  if (!waits) log.warn(about, 'a file that a person sent is lost');
  else if (tries > 1) log.warn(about, 'a file that a person sent cannot be fetched yet');
}

type Unkept = Exclude<DownloadResult, Found>;

/** All in one transaction, so that a connection lost halfway leaves nothing of the file. */
const tryToKeep = (
  database: FetchDeps['database'],
  { organizationId, mediaId }: Due,
  found: Found,
): Promise<{ readonly kind: 'kept' } | Unkept> =>
  inWorkspace(database, organizationId, (sql) => keep(sql, organizationId, mediaId, found)).then(
    () => ({ kind: 'kept' }),
    (error: unknown) => ({
      kind: error instanceof TooLarge ? 'gone' : 'later',
      message: messageOf(error),
    }),
  );

async function ask(deps: FetchDeps, due: Due): Promise<DownloadResult> {
  const { database, gateway, keyring, stopping } = deps;
  const { organizationId, mediaId } = due;
  return inWorkspace(database, organizationId, async (sql) => {
    const file = await first<{ numberId: string; providerId: string }>(
      sql,
      `select number_id as "numberId", provider_id as "providerId" from media
       where organization_id = $1 and id = $2`,
      [organizationId, mediaId],
    );
    const number = file && (await sendingNumber(sql, keyring, organizationId, file.numberId));
    return file && number ? { file, number } : null;
  }).then((found) => {
    if (!found) return { kind: 'later', message: 'The number is not ready.' };
    const { phoneNumberId: id, accessToken } = found.number;
    const { providerId } = found.file;
    return gateway.download({ id, accessToken }, providerId, MAX_FILE_BYTES, stopping);
  });
}

type Found = Extract<DownloadResult, { kind: 'found' }>;

class TooLarge extends Error {}

async function keep(
  sql: Sql,
  organizationId: string,
  mediaId: string,
  { bytes, type }: Found,
): Promise<void> {
  const hash = createHash('sha256');
  const place = { sql, organizationId };
  let rest = Buffer.alloc(0);
  let size = 0;
  let seq = 0;
  for await (const chunk of bytes) {
    hash.update(chunk);
    size += chunk.length;
    if (size > MAX_FILE_BYTES) throw new TooLarge('The file is larger than WhatsApp allows.');
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= PIECE_BYTES) {
      await keepPiece(place, mediaId, seq, rest.subarray(0, PIECE_BYTES));
      rest = rest.subarray(PIECE_BYTES);
      seq += 1;
    }
  }
  if (rest.length > 0) await keepPiece(place, mediaId, seq, rest);
  await sql.rows(
    `update media set state = 'kept', size = $3, sha256 = $4, type = case when type = '' then $5 else type end
     where organization_id = $1 and id = $2`,
    [organizationId, mediaId, size, hash.digest(), type],
    'media-kept',
  );
  await sql.rows('delete from media_fetches where organization_id = $1 and media_id = $2', [
    organizationId,
    mediaId,
  ]);
}

/**
 * SQL: what a process claimed by its try is still its own. The row is gone once the file is kept, also by a commit of which
 * nothing was heard, and another process that claims it after the lease tries once more.
 */
const CLAIMED = 'f.organization_id = $1 and f.media_id = $2 and f.tries = $3';

const claimOf = ({ organizationId, mediaId, tries }: Due): unknown[] => [
  organizationId,
  mediaId,
  tries,
];

/** Returns false if the file is not the caller's to give up. */
async function giveUp(sql: Sql, due: Due): Promise<boolean> {
  const lost = await sql.rows(
    `with claim as (delete from media_fetches f where ${CLAIMED} returning 1)
     update media set state = 'lost' where organization_id = $1 and id = $2 and exists (select from claim) returning 1`,
    claimOf(due),
  );
  return lost.length > 0;
}

/** Broken off by us, it was no try. */
const giveBack = (sql: Sql, due: Due): Promise<unknown> =>
  sql.rows(
    `update media_fetches f set not_before = now(), tries = f.tries - 1 where ${CLAIMED}`,
    claimOf(due),
  );

/**
 * Asks at once for what the number was refused, in the caller's transaction. Whatever is due within a lease stays: it may
 * be under way.
 */
export const fetchAgain = (sql: Sql, organizationId: string, numberId: string): Promise<unknown> =>
  sql.rows(
    `update media_fetches f set not_before = now(), tries = 0 from media m
     where f.organization_id = $1 and f.not_before > now() + ${LEASE_MS} * interval '1 millisecond'
       and m.organization_id = $1 and m.id = f.media_id and m.number_id = $2`,
    [organizationId, numberId],
  );

/** Returns false if WhatsApp has forgotten the file, or it is not the caller's to fetch any more. */
async function later(sql: Sql, due: Due): Promise<boolean> {
  const waiting = await sql.rows(
    `update media_fetches f set not_before = now() + $4 * interval '1 millisecond' from media m
     where ${CLAIMED} and m.organization_id = $1 and m.id = $2
       and m.created_at > now() - interval '${MOST_DAYS} days'
     returning 1`,
    [...claimOf(due), Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** (due.tries - 1))],
  );
  return waiting.length > 0;
}
