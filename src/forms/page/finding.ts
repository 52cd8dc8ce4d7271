import type { Keyring } from '../../crypto/keyring.ts';
import { type Database, inWorkspace, sqlOver } from '../../db/database.ts';
import { first } from '../../db/sql.ts';
import { notFound } from '../../errors.ts';
import { networkOf } from '../../http/callers/client-ip.ts';
import { bucketOf, secondsToWait } from '../../http/callers/counters.ts';
import { isId } from '../../ids.ts';
import { type FormRow, selectForm } from '../queries.ts';
import { openLink } from '../tokens.ts';

/** A form that may be filled in now, and by whom. */
export interface PublicForm {
  readonly organizationId: string;
  readonly form: FormRow;
  readonly workspace: {
    readonly name: string;
    readonly language: string;
    readonly time_zone: string;
  };
  /** The contact of the personal link, or whom it was merged into; null for a form that asks for the phone. */
  readonly linkedContactId: string | null;
}

export interface Opening {
  readonly id: string;
  /** The personal part of the link, or "". */
  readonly link: string;
  readonly now: Date;
}

export interface FindingParts {
  readonly database: Database;
  readonly keyring: Keyring;
}

/**
 * Throws the same 404 for a form that does not exist, is not published, or needs a link that does not open it, so
 * that the page does not reveal which.
 */
export async function openForm(
  { database, keyring }: FindingParts,
  { id, link, now }: Opening,
): Promise<PublicForm> {
  const organizationId = isId('frm', id) ? await workspaceOf(database, id) : null;
  if (organizationId === null) throw notFound('form');
  return inWorkspace(database, organizationId, async (sql) => {
    const tx = { sql, organizationId };
    const form = await selectForm(tx, id);
    const workspace = await first<PublicForm['workspace']>(
      sql,
      'select name, language, time_zone from workspaces where organization_id = $1',
      [organizationId],
      'form-workspace',
    );
    if (form?.status !== 'published' || !workspace) throw notFound('form');
    if (!form.personal_link) return { organizationId, form, workspace, linkedContactId: null };
    const contactId = openLink(keyring, { organizationId, formId: id, link, now });
    const contact = await first<{ id: string }>(
      sql,
      `select id from contacts where organization_id = $1 and id = $2
       union all select contact_id from merged_contacts where organization_id = $1 and id = $2`,
      [organizationId, contactId],
      'form-linked-contact',
    );
    if (!contact) throw notFound('form');
    return { organizationId, form, workspace, linkedContactId: contact.id };
  });
}

/** The only query made before the workspace is known. */
async function workspaceOf({ system }: Database, id: string): Promise<string | null> {
  const { rows } = await system.query<{ organization_id: string }>({
    name: 'form-workspace-of',
    text: `select organization_id from forms where id = $1 and status = 'published'`,
    values: [id],
  });
  return rows[0]?.organization_id ?? null;
}

/** How many pages an address may open, and send, in any 60 seconds. Many people may share one address. */
const LIMITS = { open: 300, send: 30 } as const;

/**
 * Counts a request from this address.
 *
 * @returns seconds to wait, or 0
 */
export function waitFor(
  { database, keyring }: FindingParts,
  kind: keyof typeof LIMITS,
  ip: string | null,
): Promise<number> {
  const bucket = bucketOf(keyring, 'form-address', networkOf(ip ?? ''));
  return secondsToWait(sqlOver(database.system), `form-${kind}-${bucket}`, LIMITS[kind]);
}
