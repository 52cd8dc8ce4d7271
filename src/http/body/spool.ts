import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { unavailable } from '../../errors.ts';
import { type FileHolder, takeUploadPlace } from '../file-places.ts';

/** An uploaded file, stored outside memory until its request is answered. */
export interface Upload {
  /** The sender's name for it, without a path or control characters; may be empty. */
  readonly name: string;
  /** What the sender claims it is: a hint, never proof. */
  readonly type: string;
  /** Bytes. */
  readonly size: number;
  readonly sha256: Buffer;
  /** The first bytes of the file; fewer if it is shorter. */
  head(bytes: number): Promise<Buffer>;
  /** The whole file in pieces of `size` bytes; the last one is shorter. */
  pieces(size: number): AsyncGenerator<Buffer>;
}

/** An unnamed file on disk: it disappears with its handle, however this process ends. */
export interface Spool {
  keep(name: string, type: string, bytes: AsyncIterable<Buffer>): Promise<Upload>;
  close(): Promise<void>;
}

/**
 * Takes a place when the first byte comes. Keeping throws 503 while too many files are arriving at this process, or
 * where the disk takes none, and 429 while the sender or its workspace has too many.
 */
export function openSpool(sender: FileHolder): Spool {
  let place: Promise<Place> | null = null;
  const open = async (): Promise<FileHandle> => {
    place ??= takePlace(sender);
    return (await place).handle;
  };
  return {
    keep: (name, type, bytes) => keep(open, name, type, bytes),
    close: async () => {
      const taken = await place?.catch(() => null);
      taken?.leave();
      await taken?.handle.close();
    },
  };
}

interface Place {
  readonly handle: FileHandle;
  readonly leave: () => void;
}

async function takePlace(sender: FileHolder): Promise<Place> {
  const leave = takeUploadPlace(sender);
  try {
    return { handle: await openNameless().catch(unkept), leave };
  } catch (error) {
    leave();
    throw error;
  }
}

/** Said at once: what nobody reads any more would keep its sender waiting, and its place taken. */
function unkept(cause: unknown): never {
  throw unavailable('No file can be kept at the moment. Try again shortly.', { cause });
}

async function openNameless(): Promise<FileHandle> {
  const place = path.join(tmpdir(), `wms-upload-${randomUUID()}`);
  const handle = await open(place, 'wx+', 0o600);
  await unlink(place);
  return handle;
}

async function keep(
  open: () => Promise<FileHandle>,
  name: string,
  type: string,
  bytes: AsyncIterable<Buffer>,
): Promise<Upload> {
  const hash = createHash('sha256');
  let handle: FileHandle | null = null;
  let size = 0;
  for await (const piece of bytes) {
    handle ??= await open();
    hash.update(piece);
    await handle.writeFile(piece).catch(unkept);
    size += piece.length;
  }
  const readAt = async (at: number, length: number): Promise<Buffer> => {
    const buffer = Buffer.allocUnsafe(Math.min(length, size - at));
    const read = await handle?.read(buffer, 0, buffer.length, at);
    return buffer.subarray(0, read?.bytesRead);
  };
  return {
    name,
    type,
    size,
    sha256: hash.digest(),
    head: (length) => readAt(0, length),
    pieces: async function* pieces(length) {
      for (let at = 0; at < size; at += length) yield await readAt(at, length);
    },
  };
}
