import { visibleThroughAny } from '../access/visibility.ts';
import { audit } from '../audit/service.ts';
import type { Context, InWorkspace, ReadContext } from '../context.ts';
import { binding, first } from '../db/sql.ts';
import { transact } from '../db/transact.ts';
import { AppError, invalidState, notFound, validation } from '../errors.ts';
import type { MediaKind } from '../gateway/port.ts';
import type { Upload } from '../http/body/spool.ts';
import type { Download } from '../http/route.ts';
import { newId } from '../ids.ts';
import { countUploaded, requireRoom } from './allowance.ts';
import { bytesOf, keepPiece, PIECE_BYTES } from './bytes.ts';
import { fileNameOf, HEAD_BYTES, type Recognised, recognise, sizeOf } from './kinds.ts';
import type { MediaDetail, MediaView } from './schema.ts';

/**
 * Stores a file for sending. Throws 415 for a kind that WhatsApp would not accept, 413 if it is too large for its
 * kind, 422 if it is empty; all judged by the bytes, not by what the sender claims. 409 `quota` for more than a
 * workspace may upload within 24 hours.
 */
export const keepMedia = (ctx: Context, file: Upload, uploadMbADay: number): Promise<MediaView> =>
  transact(ctx, async (tx) => {
    const { type, kind } = await kindOf(file);
    await requireRoom(tx, file.size, uploadMbADay);
    const id = newId('med');
    const { name, size } = file;
    await tx.sql.rows(
      `insert into media (organization_id, id, name, type, kind, size, sha256, created_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [tx.organizationId, id, name, type, kind, size, file.sha256, tx.now],
    );
    let seq = 0;
    for await (const piece of file.pieces(PIECE_BYTES)) {
      await keepPiece(tx, id, seq, piece);
      seq += 1;
    }
    await countUploaded(tx, size);
    await audit(tx, { action: 'media.uploaded', target: { type: 'media', id, name } });
    return { id, type, name, size };
  });

async function kindOf(file: Upload): Promise<Recognised> {
  if (file.size === 0)
    throw validation([{ path: 'file', rule: 'min_size', limit: 1, message: 'The file is empty.' }]);
  const known = recognise(await file.head(HEAD_BYTES), file.type, file.name);
  if (!known)
    throw new AppError(
      'unsupported_media_type',
      'Send a JPEG or PNG, MP4 or 3GP, AAC, AMR, MP3, M4A or OGG, WebP, PDF, Office document or plain text.',
    );
  const { kind, maxBytes } = known;
  if (file.size <= maxBytes) return known;
  throw new AppError(
    'payload_too_large',
    `A file of the kind ${kind} has at most ${sizeOf(maxBytes)}.`,
    {
      kind,
      limit: maxBytes,
    },
  );
}

interface MediaRow {
  readonly id: string;
  readonly type: string;
  readonly name: string;
  readonly size: number;
  readonly kind: MediaKind;
  readonly state: MediaDetail['state'];
  readonly createdAt: Date;
}

/** A file uploaded here, or sent by a contact into a conversation that the actor can see. */
async function mediaById(
  { sql, organizationId, actor }: ReadContext,
  id: string,
): Promise<MediaRow> {
  const { params, bind } = binding(organizationId, id);
  const seen = visibleThroughAny(actor, 'f', bind);
  const row = await first<MediaRow>(
    sql,
    `select f.id, f.type, f.name, f.size, f.kind, f.state, f.created_at as "createdAt" from media f
     where f.organization_id = $1 and f.id = $2 and ${seen}`,
    params,
  );
  if (!row) throw notFound('file');
  return row;
}

/**
 * A file as the API shows it, `size` in bytes. Throws 404, also for a file in a conversation that the caller cannot
 * see.
 */
export async function getMedia(ctx: ReadContext, id: string): Promise<MediaDetail> {
  const { createdAt, ...row } = await mediaById(ctx, id);
  const { type, name, size, kind, state } = row;
  return { id, type, name, size, kind, state, created_at: createdAt.toISOString() };
}

export type FileState = MediaDetail['state'];

/** By file, which of these there are: `kept` can be downloaded. */
export async function fileStates(
  { sql, organizationId }: InWorkspace,
  ids: readonly string[],
): Promise<ReadonlyMap<string, FileState>> {
  if (ids.length === 0) return new Map();
  const rows = await sql.rows<Pick<MediaRow, 'id' | 'state'>>(
    'select id, state from media where organization_id = $1 and id = any($2)',
    [organizationId, ids],
  );
  return new Map(rows.map(({ id, state }) => [id, state]));
}

/** The file's bytes. Throws 409 `invalid_state` while they are being downloaded, or after they were deleted. */
export async function downloadMedia(ctx: ReadContext, id: string): Promise<Download> {
  const { name, type, size, state } = await mediaById(ctx, id);
  if (state !== 'kept') throw invalidState(state, ['kept']);
  return {
    name: fileNameOf({ id, name, type }),
    type,
    size,
    pieces: (read) => bytesOf(read, ctx.organizationId, id),
  };
}
