import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../errors.ts';
import { parseObject } from './json.ts';

/** 1 MiB of JSON (design decisions §14). */
const MAX_JSON_BYTES = 1_048_576;
/** How long an oversized body is read and discarded, so that its sender reads the answer instead of a reset. */
const DRAIN_MS = 500;
const JSON_TYPE = /^application\/json[\t ]*(?:;[\t ]*charset="?utf-8"?[\t ]*)?$/i;

/** The raw bytes of a body. Throws 413 over `limit`, 408 or 400 if the sender disconnects. */
export function readBody(req: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let over = Number(req.headers['content-length'] ?? 0) > limit;
    const refuse = (): void => reject(tooLarge(limit));
    const gone = (): void => reject(new AppError('bad_request', 'The body ended early.'));
    if (req.destroyed) return gone();
    if (over) setTimeout(refuse, DRAIN_MS).unref();
    req.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (over) return;
      chunks.push(chunk);
      if (size <= limit) return;
      over = true;
      chunks.length = 0;
      setTimeout(refuse, DRAIN_MS).unref();
    });
    req.once('end', () => {
      // Every request closes eventually; an error with its stack, which no one reads, would cost as much as the body.
      req.off('close', gone);
      if (over) refuse();
      else resolve(joined(chunks, size));
    });
    req.once('error', gone);
    req.once('close', gone);
  });
}

/** Most bodies arrive in one piece, which needs no copy. */
const joined = (chunks: readonly Buffer[], size: number): Buffer =>
  chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, size);

/** 413. @param limit in bytes */
export const tooLarge = (limit: number): AppError =>
  new AppError('payload_too_large', `The body is larger than ${limit} bytes.`, { limit });

/** Briefly reads and discards what still arrives: see `DRAIN_MS`. */
export async function drained(req: IncomingMessage): Promise<void> {
  req.resume();
  await sleep(DRAIN_MS);
}

/** A compressed body is refused with 415, never decompressed. */
export function refuseEncoding({ headers }: IncomingMessage): void {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
    throw new AppError('unsupported_media_type', 'Send the body without a content encoding.');
}

/** A JSON body must be complete within this time once it is read, or its sender is cut off. */
const BODY_MS = 10_000;

interface Allowance {
  readonly onLate: () => void;
  timer: NodeJS.Timeout;
}

const allowances = new WeakMap<IncomingMessage, Allowance>();

/**
 * Calls `late` if the body of a request is not complete in time. While nobody reads it yet, because the database that
 * knows the caller does not answer, its sender is not to blame.
 */
export function timeBody(req: IncomingMessage, late: () => void): void {
  if (!hasBody(req)) return;
  const onLate = (): void => {
    if (req.readableFlowing === null) allowance.timer = setTimeout(onLate, BODY_MS);
    else if (!req.complete) late();
  };
  const allowance = { onLate, timer: setTimeout(onLate, BODY_MS) };
  allowances.set(req, allowance);
  req.once('close', () => clearTimeout(allowance.timer));
}

/** Sets a different time limit for a request's body from now on: files need longer than JSON. */
export function allowTime(req: IncomingMessage, ms: number): void {
  const allowance = allowances.get(req);
  if (!allowance) return;
  clearTimeout(allowance.timer);
  if (!req.complete) allowance.timer = setTimeout(allowance.onLate, ms);
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/**
 * The JSON object of a request, or null if it has no body. Throws 415 for anything but plain UTF-8 JSON, 400 for what
 * cannot be parsed.
 */
export async function readJson(req: IncomingMessage): Promise<Record<string, unknown> | null> {
  if (!hasBody(req)) return null;
  refuseEncoding(req);
  const isJson = JSON_TYPE.test(req.headers['content-type'] ?? '');
  const sized = req.headers['transfer-encoding'] === undefined;
  // Only the end of a body in chunks tells that there is none.
  const bytes = isJson || !sized ? await readBody(req, MAX_JSON_BYTES) : null;
  if (bytes?.length === 0) return null;
  if (!isJson || bytes === null)
    throw new AppError('unsupported_media_type', 'Send the body as application/json in UTF-8.');
  return parseObject(bytes);
}
