import type { Clock } from '../db/clock.ts';
import { type Database, inWorkspace } from '../db/database.ts';
import { first, type Sql } from '../db/sql.ts';
import { DAY_MS, HOUR_MS } from '../durations.ts';
import { UPLOAD_AGAIN } from '../gateway/cloud-api/media.ts';
import type { UploadResult, WhatsApp } from '../gateway/port.ts';
import type { Log } from '../log.ts';
import type { SendingNumber } from '../numbers/sending.ts';
import { bytesOf, type Reading } from './bytes.ts';

export interface UploadDeps {
  readonly database: Pick<Database, 'app'>;
  readonly gateway: Pick<WhatsApp, 'upload'>;
  readonly clock: Clock;
  readonly log: Log;
  /** The process ends: another one uploads the file. */
  readonly stopping?: AbortSignal | undefined;
}

/** WhatsApp keeps a file for 30 days; one sent towards the end must still be there. */
const VALID_MS = 25 * DAY_MS;
/** What is refused so soon after its upload would be refused again, and each message of a campaign would upload it. */
const TOO_FRESH_MS = HOUR_MS;

interface FileRow {
  readonly name: string;
  readonly type: string;
  readonly size: number;
}

/**
 * Uploads files for sending. Concurrent requests for the same file and number upload it once. Never rejects: what
 * fails here is uploaded again.
 */
export function createUploader(deps: UploadDeps) {
  const underway = new Map<string, Promise<UploadResult>>();
  return (
    organizationId: string,
    number: SendingNumber,
    mediaId: string,
  ): Promise<UploadResult> => {
    // One begun with a token that was replaced since says nothing of the number as it is now.
    const key = `${mediaId} ${number.id} ${number.accessToken}`;
    const known = underway.get(key);
    if (known) return known;
    const fresh = uploadOnce(deps, organizationId, number, mediaId)
      .catch((err: unknown) => {
        deps.log.warn({ err, mediaId }, 'a file could not be uploaded and is tried again');
        return UPLOAD_AGAIN;
      })
      .finally(() => underway.delete(key));
    underway.set(key, fresh);
    return fresh;
  };
}

export type Uploader = ReturnType<typeof createUploader>;

async function uploadOnce(
  { database, gateway, clock, stopping }: UploadDeps,
  organizationId: string,
  number: SendingNumber,
  mediaId: string,
): Promise<UploadResult> {
  const file = await inWorkspace(database, organizationId, (sql) =>
    first<FileRow>(
      sql,
      "select name, type, size from media where organization_id = $1 and id = $2 and state = 'kept'",
      [organizationId, mediaId],
    ),
  );
  if (!file) {
    const message = 'The file is not here any more.';
    return { kind: 'refused', reason: 'media_invalid', providerCode: null, message };
  }
  const account = { id: number.phoneNumberId, accessToken: number.accessToken };
  const read: Reading = (work) => inWorkspace(database, organizationId, work);
  const bytes = () => bytesOf(read, organizationId, mediaId);
  const result = await gateway.upload(account, { ...file, bytes }, stopping);
  if (result.kind === 'kept') {
    const validUntil = new Date(clock.now().getTime() + VALID_MS);
    await inWorkspace(database, organizationId, (sql) =>
      sql.rows(
        `insert into media_uploads (organization_id, media_id, number_id, provider_id, valid_until)
         select organization_id, id, $3, $4, $5 from media where organization_id = $1 and id = $2
         on conflict (organization_id, media_id, number_id) do update set
           provider_id = excluded.provider_id, valid_until = excluded.valid_until`,
        [organizationId, mediaId, number.id, result.providerId, validUntil],
      ),
    );
  }
  return result;
}

/**
 * Forgets WhatsApp's ids of the files with which these messages of the workspace failed, in the caller's transaction:
 * WhatsApp may lose a file before its 30 days are over. Sent again, it is uploaded again.
 */
export async function forgetUploads(
  sql: Sql,
  organizationId: string,
  messageIds: readonly string[],
): Promise<void> {
  if (messageIds.length === 0) return;
  await sql.rows(
    `delete from media_uploads u using messages m
     where m.organization_id = $1 and m.id = any($2) and u.organization_id = $1
       and u.media_id = m.media_id and u.number_id = m.number_id
       and u.valid_until < now() + $3::bigint * interval '1 millisecond'`,
    [organizationId, messageIds, VALID_MS - TOO_FRESH_MS],
    'uploads-forget',
  );
}
