import { randomBytes } from 'node:crypto';
import type { Context } from '../../../src/context.ts';
import type { Upload } from '../../../src/http/body/spool.ts';
import { keepMedia } from '../../../src/media/service.ts';

/** A photo of so many bytes, of more than one piece by default. */
export const aPhoto = (size = 1_300_000): Buffer =>
  Buffer.concat([Buffer.from('ffd8ffe0', 'hex'), randomBytes(size)]);

/** A file of the workspace, as somebody uploaded it here. */
export const aFile = async (
  ctx: Context,
  bytes = aPhoto(1_000),
  name = 'bolo.jpg',
): Promise<string> => (await keepMedia(ctx, asUpload(bytes, name), 1_000)).id;

const asUpload = (bytes: Buffer, name: string): Upload => ({
  name,
  type: 'image/jpeg',
  size: bytes.length,
  sha256: Buffer.alloc(32),
  head: async (count) => bytes.subarray(0, count),
  pieces: async function* pieces(size) {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  },
});
