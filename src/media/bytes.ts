import { first, type Sql } from '../db/sql.ts';

/** Files are stored in pieces of this size, so that no process ever holds a whole one. */
export const PIECE_BYTES = 1024 * 1024;

export const keepPiece = (
  { sql, organizationId }: { readonly sql: Sql; readonly organizationId: string },
  mediaId: string,
  seq: number,
  bytes: Uint8Array,
): Promise<unknown> =>
  sql.rows(
    'insert into media_chunks (organization_id, media_id, seq, bytes) values ($1, $2, $3, $4)',
    [organizationId, mediaId, seq, bytes],
  );

/** Runs a short transaction bound to the workspace. */
export type Reading = <T>(work: (sql: Sql) => Promise<T>) => Promise<T>;

/** The bytes of a file, piece by piece. A slow reader holds no connection between pieces. */
export async function* bytesOf(
  read: Reading,
  organizationId: string,
  mediaId: string,
): AsyncGenerator<Buffer> {
  for (let seq = 0; ; seq += 1) {
    const piece = await read((sql) =>
      first<{ bytes: Buffer }>(
        sql,
        'select bytes from media_chunks where organization_id = $1 and media_id = $2 and seq = $3',
        [organizationId, mediaId, seq],
        'media-piece',
      ),
    );
    if (!piece) return;
    yield piece.bytes;
  }
}
