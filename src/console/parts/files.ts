import { Readable } from 'node:stream';
import { inWorkspace } from '../../db/database.ts';
import { notFound } from '../../errors.ts';
import { attachment, mediaType } from '../../http/answer.ts';
import type { FormBody } from '../../http/body/form.ts';
import { readForm } from '../../http/body/multipart.ts';
import type { Upload } from '../../http/body/spool.ts';
import { placeDownload } from '../../http/file-places.ts';
import { type Framed, requestOf } from '../../http/serving/frame.ts';
import { requireOwnPage, requireToken } from '../../people/forms.ts';
import type { Visit } from '../mount.ts';
import { entering, requireAllowed } from '../opening.ts';
import type { PageFile } from '../page.ts';

export const isUpload = (ctx: Framed): boolean =>
  ctx.method === 'POST' && /^multipart\/form-data/i.test(ctx.get('content-type'));

/**
 * Reads a form with a file. Other sites, and people without the permission, are refused before anything is stored;
 * the file is deleted when the work is done.
 */
export async function withUpload(
  visit: Visit,
  work: (sent: FormBody, file: Upload) => Promise<void>,
): Promise<void> {
  const { http, parts, session, page, known } = visit;
  requireOwnPage(http.req, parts.baseUrl);
  const { upload } = page;
  if (!upload) throw notFound('page');
  await entering(visit, ({ actor }) => requireAllowed(actor, upload.permission));
  const sender = { credentialId: session.id, organizationId: known.organizationId };
  const { fields, file, discard } = await readForm(http.req, upload.maxBytes, sender);
  try {
    const sent = new Map(Object.entries(fields).map(([name, value]) => [name, [value]]));
    requireToken(sent, session);
    await work(sent, file);
  } finally {
    await discard();
  }
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
