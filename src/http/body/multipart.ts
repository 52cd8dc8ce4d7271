import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { Busboy, type BusboyFileStream, type BusboyHeaders } from '@fastify/busboy';
import { AppError, validation } from '../../errors.ts';
import { fileNameToShow } from '../fields.ts';
import type { FileHolder } from '../file-places.ts';
import { allowTime, drained, refuseEncoding, tooLarge } from './body.ts';
import { inspectText } from './json.ts';
import { openSpool, type Spool, type Upload } from './spool.ts';

/** A form with one file, in the part `file`. */
export interface Form {
  /** The other parts, as they were sent. */
  readonly fields: Readonly<Record<string, string>>;
  /** Null without one. A browser sends an empty part without a name where nothing was chosen. */
  readonly file: Upload | null;
  /** Deletes the file's bytes. */
  discard(): Promise<void>;
}

/** How long a file may take to arrive, whatever its size: enough for 100 MB at 3 Mbit/s. */
const UPLOAD_MS = 300_000;
const MULTIPART_TYPE = /^multipart\/form-data[\t ]*;/i;
/** Room for the parts' headers and the other fields. */
const BESIDE_BYTES = 256 * 1024;
const LIMITS = {
  files: 1,
  fields: 20,
  /** Also of those that are neither, which are passed over. */
  parts: 21,
  fieldSize: 64 * 1024,
  headerPairs: 20,
  headerSize: 8_192,
};

/**
 * Reads a form while it arrives; the file goes to disk, and is never in memory as a whole. Throws 415 for another
 * type, 413 over `maxBytes`, 400 for what cannot be read, and 429 or 503 while too many files are arriving.
 *
 * @param fields filled as they arrive: with what came before a file that is refused
 */
export async function readForm(
  req: IncomingMessage,
  maxBytes: number,
  sender: FileHolder,
  fields = new Map<string, string>(),
): Promise<Form> {
  refuseEncoding(req);
  if (!MULTIPART_TYPE.test(req.headers['content-type'] ?? ''))
    throw new AppError('unsupported_media_type', 'Send the body as multipart/form-data.');
  const spool = openSpool(sender);
  try {
    allowTime(req, UPLOAD_MS);
    const file = await receive(req, spool, { maxBytes, fields });
    return { fields: Object.fromEntries(fields), file, discard: () => spool.close() };
  } catch (error) {
    await spool.close();
    throw error;
  }
}

async function receive(
  req: IncomingMessage,
  spool: Spool,
  { maxBytes, fields }: { readonly maxBytes: number; readonly fields: Map<string, string> },
): Promise<Upload | null> {
  const most = maxBytes + BESIDE_BYTES;
  const isTooLarge = Number(req.headers['content-length'] ?? 0) > most;
  const stop = new AbortController();
  // Refused while the rest is still read and discarded: a browser reads no answer before it has sent everything.
  const said = Promise.withResolvers<never>();
  let file: Promise<Upload> | null = null;
  const refuse = (error: AppError): void => stop.abort(error);
  const form = busboy(req, maxBytes);
  let size = 0;
  req.on('data', ({ length }: Buffer) => {
    size += length;
    if (size > most && !isTooLarge) refuse(tooLarge(maxBytes));
  });
  form.on('field', (name: string | undefined, value, _, cut) => {
    if (name === undefined) refuse(malformed('A part of the form has no name.'));
    else if (cut) refuse(malformed(`The field ${shown(name)} is longer than 64 KiB.`));
    else if (fields.has(name)) refuse(malformed(`The field ${shown(name)} is given twice.`));
    else fields.set(name, value);
  });
  form.on('file', (name, stream, filename, _, type) => {
    // A form that ends within a file is told by the form as well, and a file that nobody reads has no other listener.
    stream.on('error', () => {});
    if (isTooLarge) {
      stream.resume();
      return said.reject(tooLarge(maxBytes));
    }
    if (name !== 'file') refuse(malformed('The file belongs into the part "file".'));
    stream.once('limit', () => refuse(tooLarge(maxBytes)));
    file = spool.keep(fileNameToShow(filename ?? ''), type, asIterable(stream));
    // What cannot be kept is refused now; what else fails is handled below, once the form is read.
    file.catch((error: unknown) => {
      if (error instanceof AppError) refuse(error);
    });
  });
  for (const limit of ['filesLimit', 'fieldsLimit', 'partsLimit'] as const)
    form.on(limit, () => refuse(malformed('Send one file and at most 20 fields.')));
  const read = pipeline(req, form, { signal: stop.signal }).catch(async () => {
    if (!(stop.signal.reason instanceof AppError))
      throw malformed('The body is not a valid form, or ended early.');
    await drained(req);
    throw stop.signal.reason;
  });
  await Promise.race([read, said.promise]).catch(async (error: unknown) => {
    if (isTooLarge) await drained(req);
    throw error;
  });
  if (isTooLarge) throw tooLarge(maxBytes);
  for (const [name, value] of fields) inspectText(name + value, '');
  const kept = await (file as Promise<Upload> | null);
  return kept?.name === '' && kept.size === 0 ? null : kept;
}

function busboy(req: IncomingMessage, maxBytes: number): InstanceType<typeof Busboy> {
  try {
    return new Busboy({
      headers: req.headers as BusboyHeaders,
      limits: { ...LIMITS, fileSize: maxBytes },
    });
  } catch {
    throw malformed('The Content-Type names no boundary.');
  }
}

const malformed = (message: string): AppError => new AppError('bad_request', message);

/** 422, for a form that needs one. */
export const missingFile = (): AppError =>
  validation([{ path: 'file', rule: 'required', message: 'Send the file in the part "file".' }]);

const shown = (name: string): string => JSON.stringify(name.slice(0, 60));

const asIterable = (stream: BusboyFileStream): AsyncIterable<Buffer> => stream;
