import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Busboy, type BusboyHeaders } from '@fastify/busboy';
import { graphErrorBody, httpStatusOf } from './graph-errors.ts';
import { answerJson, hasToken } from './http.ts';

interface KeptFile {
  readonly type: string;
  readonly bytes: Buffer;
}

/** Uploaded files, by their WhatsApp id. */
export type Files = Map<string, KeptFile>;

const MAX_BYTES = 100 * 1024 * 1024;
/** Older files are deleted. */
const MOST = 50;

const refuse = (res: ServerResponse, code: number): void =>
  answerJson(res, httpStatusOf(code), graphErrorBody(code));

/** `POST /{version}/{phone_number_id}/media`: a form with `messaging_product`, `type` and `file`. */
export function handleUpload(files: Files, req: IncomingMessage, res: ServerResponse): void {
  if (!hasToken(req)) {
    refuse(res, 190);
    return;
  }
  const form = formOf(req);
  if (!form) {
    refuse(res, 100);
    return;
  }
  const chunks: Buffer[] = [];
  let type = '';
  form.on('field', (name, value) => {
    if (name === 'type') type = value;
  });
  form.on('file', (_name, stream) => stream.on('data', (chunk: Buffer) => chunks.push(chunk)));
  form.on('error', () => refuse(res, 100));
  form.on('finish', () => {
    if (chunks.length === 0 || type === '') return refuse(res, 100);
    const bytes = Buffer.concat(chunks);
    const id = `9${createHash('sha256').update(bytes).digest().readUIntBE(0, 6)}`;
    files.set(id, { type, bytes });
    for (const oldest of [...files.keys()].slice(0, -MOST)) files.delete(oldest);
    answerJson(res, 200, JSON.stringify({ id }));
  });
  req.pipe(form);
}

function formOf(req: IncomingMessage): InstanceType<typeof Busboy> | null {
  try {
    return new Busboy({ headers: req.headers as BusboyHeaders, limits: { fileSize: MAX_BYTES } });
  } catch {
    return null;
  }
}

/** The file that a caller with a token asks for; otherwise answers with the refusal. */
function asked(files: Files, req: IncomingMessage, res: ServerResponse, id: string) {
  const file = files.get(id);
  if (!hasToken(req)) refuse(res, 190);
  else if (!file) refuse(res, 100);
  else return file;
  return undefined;
}

/** `GET /{version}/{media_id}`: where the file can be read. */
export function describeFile(
  files: Files,
  req: IncomingMessage,
  res: ServerResponse,
  id: string,
): void {
  const file = asked(files, req, res, id);
  if (!file) return;
  const url = `http://${req.headers.host}/simulator/media/${id}`;
  const sha256 = createHash('sha256').update(file.bytes).digest('hex');
  const { type: mime_type, bytes } = file;
  const body = {
    messaging_product: 'whatsapp',
    url,
    mime_type,
    sha256,
    file_size: bytes.length,
    id,
  };
  answerJson(res, 200, JSON.stringify(body));
}

/** The file's bytes, for callers with a token that say who they are (`User-Agent`), as Meta's servers do. */
export function serveFile(
  files: Files,
  req: IncomingMessage,
  res: ServerResponse,
  id: string,
): void {
  const file = asked(files, req, res, id);
  if (!file) return;
  if (!req.headers['user-agent']) return void res.writeHead(400).end();
  res.writeHead(200, { 'content-type': file.type, 'content-length': file.bytes.length });
  res.end(file.bytes);
}
