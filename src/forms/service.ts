import { signatureOf } from '../access/actor.ts';
import { changesBetween } from '../audit/rules.ts';
import { audit } from '../audit/service.ts';
import type { Context, InWorkspace } from '../context.ts';
import { transact } from '../db/transact.ts';
import { notFound } from '../errors.ts';
import { guard } from '../http/guard.ts';
import { pageOf } from '../http/page.ts';
import type { PageOf, PageRequest } from '../http/route.ts';
import { newId } from '../ids.ts';
import { auditable, contentAfter, contentOf, EMPTY, type FormContent } from './content.ts';
import { requireIdentity } from './fields.ts';
import { formUrl, presentForm, presentSubmission } from './present.ts';
import { type FormRow, lockForm, selectForm, selectForms, selectSubmissions } from './queries.ts';
import { type FormStatus, requireStep } from './rules.ts';
import {
  type FormFilters,
  type FormPatch,
  type FormView,
  type NewForm,
  newFormBody,
  type SubmissionFilters,
  type SubmissionView,
} from './schema.ts';

/** Validates the body of `POST /v1/forms` from another source. Throws 422 like the route. */
export const readNewForm = (input: unknown): NewForm => guard(newFormBody, input);

/**
 * Creates a form, visible to no one until it is published. Throws 422 `form_without_identity` and
 * `unknown_automation`.
 */
export const createForm = (ctx: Context, input: NewForm): Promise<{ id: string }> =>
  transact(ctx, async (tx) => {
    const id = newId('frm');
    const content = await contentAfter(tx, EMPTY, input);
    requireIdentity(content);
    await tx.sql.rows(
      `insert into forms (organization_id, id, title, description, fields, field_keys, thanks, tag, automation_id,
         personal_link, updated_at, created_at, status, version, created_by)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11, 'draft', 1, $12)`,
      [...values(tx, id, content), JSON.stringify(signatureOf(tx.actor))],
    );
    await audit(tx, { action: 'form.created', target: { type: 'form', id, name: content.title } });
    return { id };
  });

/** Newest first. */
export async function listForms(
  ctx: InWorkspace,
  filters: FormFilters,
  page: PageRequest,
  baseUrl: string,
): Promise<PageOf<FormView>> {
  return pageOf(await selectForms(ctx, filters, page), page, (row) => presentForm(row, baseUrl));
}

/** A form as the API shows it. Throws 404. */
export async function getForm(ctx: InWorkspace, id: string, baseUrl: string): Promise<FormView> {
  return presentForm(await requireForm(ctx, id), baseUrl);
}

/** Submissions, newest first. */
export async function listSubmissions(
  ctx: InWorkspace,
  id: string,
  filters: SubmissionFilters,
  page: PageRequest,
): Promise<PageOf<SubmissionView>> {
  await requireForm(ctx, id);
  return pageOf(await selectSubmissions(ctx, id, filters, page), page, presentSubmission);
}

/** The form's row. Throws 404. */
export async function requireForm(ctx: InWorkspace, id: string): Promise<FormRow> {
  const row = await selectForm(ctx, id);
  if (!row) throw notFound('form');
  return row;
}

/**
 * Changes the fields that the patch names and increments the version. A published form changes for whoever opens it
 * next; earlier answers keep the labels they were given to.
 */
export const updateForm = (
  ctx: Context,
  id: string,
  patch: FormPatch,
  baseUrl: string,
): Promise<FormView> =>
  transact(ctx, async (tx) => {
    const before = contentOf(await requireLocked(tx, id));
    const content = await contentAfter(tx, before, patch);
    requireIdentity(content);
    const changes = changesBetween(auditable(before), auditable(content));
    if (changes.length > 0) {
      await tx.sql.rows(
        `update forms set title = $3, description = $4, fields = $5, field_keys = $6, thanks = $7, tag = $8,
           automation_id = $9, personal_link = $10, updated_at = $11, version = version + 1
         where organization_id = $1 and id = $2`,
        values(tx, id, content),
      );
      const target = { type: 'form', id, name: content.title };
      await audit(tx, { action: 'form.updated', target, changes });
    }
    return getForm(tx, id, baseUrl);
  });

const values = (tx: Context, id: string, content: FormContent): unknown[] => [
  tx.organizationId,
  id,
  content.title,
  content.description,
  JSON.stringify(content.fields),
  content.fieldKeys,
  content.thanks,
  content.tag,
  content.automation?.id ?? null,
  content.personalLink,
  tx.now,
];

/** The result of publishing. */
interface Published {
  readonly id: string;
  readonly status: FormStatus;
  readonly url: string;
}

/** Publishes the form. 409 `invalid_state` if it already is. */
export const publishForm = (ctx: Context, id: string, baseUrl: string): Promise<Published> =>
  transact(ctx, async (tx) => {
    const form = await requireLocked(tx, id);
    requireStep(form.status, 'publish');
    requireIdentity(contentOf(form));
    await setStatus(tx, form, 'published');
    return { id, status: 'published', url: formUrl(baseUrl, id) };
  });

/** Unpublishes the form: its page then answers as if it had never existed. */
export const unpublishForm = (ctx: Context, id: string, baseUrl: string): Promise<FormView> =>
  transact(ctx, async (tx) => {
    const form = await requireLocked(tx, id);
    requireStep(form.status, 'unpublish');
    await setStatus(tx, form, 'unpublished');
    return getForm(tx, id, baseUrl);
  });

async function setStatus(
  tx: Context,
  { id, title, status: from }: FormRow,
  to: 'published' | 'unpublished',
): Promise<void> {
  await tx.sql.rows(
    `update forms set status = $3, published_at = case when $3 = 'published' then $4 else published_at end, updated_at = $4
     where organization_id = $1 and id = $2`,
    [tx.organizationId, id, to, tx.now],
  );
  await audit(tx, {
    action: `form.${to}`,
    target: { type: 'form', id, name: title },
    changes: [{ field: 'status', from, to }],
  });
}

/** The form's row, locked until the transaction ends. Throws 404. */
export async function requireLocked(tx: Context, id: string): Promise<FormRow> {
  const row = await lockForm(tx, id);
  if (!row) throw notFound('form');
  return row;
}
