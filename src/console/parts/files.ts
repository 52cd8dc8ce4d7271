import { Readable } from 'node:stream';
import { inWorkspace } from '../../db/database.ts';
import { AppError, notFound } from '../../errors.ts';
import { attachment, mediaType } from '../../http/answer.ts';
import type { FormBody } from '../../http/body/form.ts';
import { readForm } from '../../http/body/multipart.ts';
import type { Upload } from '../../http/body/spool.ts';
import { placeDownload } from '../../http/file-places.ts';
import type { Framed } from '../../http/framed.ts';
import { requestOf } from '../../http/serving/frame.ts';
import { requireOwnPage } from '../../people/forms.ts';
import { keepWritten } from '../frame/error-page.ts';
import { entering, requireAllowed } from '../opening.ts';
import type { PageFile } from '../page.ts';
import type { Visit } from '../visit.ts';

export const isUpload = (ctx: Framed): boolean =>
  ctx.method === 'POST' && /^multipart\/form-data/i.test(ctx.get('content-type'));

/** What is done with a form once it is read. */
interface Work {
  readonly act: (sent: FormBody, file: Upload | null) => Promise<void>;
  /** With what stands before the file in the form. */
  readonly refuse: (sent: FormBody, why: AppError) => Promise<void>;
}

/**
 * Reads a form that may have a file. Other sites, and people without the permission, are refused before anything is
 * stored; the file is deleted when the work is done.
 */
export async function withUpload(visit: Visit, { act, refuse }: Work): Promise<void> {
  const { http, parts, session, page, known } = visit;
  requireOwnPage(http.req, parts.baseUrl);
  const { upload } = page;
  if (!upload) throw notFound('page');
  await entering(visit, ({ actor }) => requireAllowed(actor, upload.permission));
  const sender = { credentialId: session.id, organizationId: known.organizationId };
  const fields = new Map<string, string>();
  const sent = (): FormBody => new Map([...fields].map(([name, value]) => [name, [value]]));
  keepWritten(http, sent);
  const form = await readForm(http.req, upload.maxBytes, sender, fields).catch(refusedFile);
  if (form instanceof AppError) return refuse(sent(), form);
  try {
    await act(sent(), form.file);
  } finally {
    await form.discard();
  }
}

/** One that is too large, or that came while too many were on their way. */
function refusedFile(error: unknown): AppError {
  const isOfFile =
    error instanceof AppError && (error.retryable || error.code === 'payload_too_large');
  if (isOfFile) return error;
  throw error;
}

/** The pieces are read while they are sent, so neither a connection nor the whole file is held. */
export function answerFile(
  { http, parts, known }: Visit,
  { name, type, size, pieces }: PageFile,
): void {
  placeDownload(known, requestOf(http));
  const read = pieces((work) => inWorkspace(parts.database, known.organizationId, work));
  http.status = 200;
  http.set('Content-Type', mediaType(type ?? 'text/csv; charset=utf-8'));
  http.set('Content-Disposition', attachment(name));
  http.body = Readable.from(read);
  if (size !== undefined) http.length = size;
}
