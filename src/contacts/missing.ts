import { reaches } from '../access/actor.ts';
import type { Seeing } from '../context.ts';
import { AppError, notFound } from '../errors.ts';

/**
 * Whom contacts that are gone were merged into, from id to id, for callers who may read contacts. Always the contact that
 * is there now, for a merge takes the former ones along.
 */
export async function mergedInto(
  { sql, organizationId, actor }: Seeing,
  ids: readonly string[],
): Promise<Readonly<Record<string, string>>> {
  if (!reaches(actor, 'contacts:read')) return {};
  const rows = await sql.rows<{ id: string; contact_id: string }>(
    'select id, contact_id from merged_contacts where organization_id = $1 and id = any($2::text[])',
    [organizationId, ids],
  );
  return Object.fromEntries(rows.map(({ id, contact_id }) => [id, contact_id]));
}

/** 404 for the contact of a path; `details.merged_into` names whom it became. */
export const contactNotFound = async (ctx: Seeing, id: string): Promise<AppError> =>
  notFound('contact', await became(ctx, id));

/** 422 `unknown_contact` for a contact that a body names as `contact_id`; `details.merged_into` names whom it became. */
export const unknownContact = async (ctx: Seeing, id: string): Promise<AppError> =>
  new AppError('unknown_contact', 'There is no such contact.', {
    contact_id: id,
    ...(await became(ctx, id)),
  });

async function became(ctx: Seeing, id: string): Promise<{ merged_into: string } | undefined> {
  const into = (await mergedInto(ctx, [id]))[id];
  return into === undefined ? undefined : { merged_into: into };
}
