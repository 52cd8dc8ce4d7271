import type { Signature } from '../access/actor.ts';
import type { InWorkspace } from '../context.ts';
import { first } from '../db/sql.ts';
import type { PageRequest } from '../http/route.ts';
import type { FormField, FormStatus, Outcome } from './rules.ts';
import type { FormFilters, SubmissionFilters, SubmissionView } from './schema.ts';

/** A form with its automation's current name. */
export interface FormRow {
  readonly id: string;
  readonly title: string;
  readonly description: string | null;
  readonly fields: readonly FormField[];
  readonly thanks: string | null;
  readonly tag: string | null;
  readonly automation_id: string | null;
  readonly automation: string | null;
  readonly status: FormStatus;
  readonly version: number;
  readonly personal_link: boolean;
  readonly field_keys: readonly string[];
  readonly created_by: Signature;
  readonly published_at: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

const FORM = `
  select f.id, f.title, f.description, f.fields, f.thanks, f.tag, f.automation_id, a.name as automation, f.status,
    f.version, f.personal_link, f.field_keys, f.created_by, f.published_at, f.created_at, f.updated_at
  from forms f
  left join automations a on a.organization_id = f.organization_id and a.id = f.automation_id
  where f.organization_id = $1`;

/** Null for a form of another workspace. */
export const selectForm = ({ sql, organizationId }: InWorkspace, id: string) =>
  first<FormRow>(sql, `${FORM} and f.id = $2`, [organizationId, id], 'form');

/** The row stays locked until the transaction ends, so edits and state changes happen one at a time. */
export const lockForm = ({ sql, organizationId }: InWorkspace, id: string) =>
  first<FormRow>(sql, `${FORM} and f.id = $2 for no key update of f`, [organizationId, id]);

/** Returns one row more than asked for if there is one. */
export const selectForms = (
  { sql, organizationId }: InWorkspace,
  { status }: FormFilters,
  { limit, after }: PageRequest,
): Promise<FormRow[]> =>
  sql.rows(
    `${FORM} and ($2::text is null or f.status = $2) and ($3::text is null or f.id < $3)
     order by f.id desc limit $4`,
    [organizationId, status ?? null, after?.id ?? null, limit + 1],
    'forms',
  );

export interface SubmissionRow {
  readonly id: string;
  readonly contact_id: string | null;
  readonly answers: SubmissionView['answers'];
  readonly outcome: Outcome;
  readonly created_at: Date;
  readonly run_id: string | null;
  readonly form_version: number;
  readonly conflict_contact_id: string | null;
}

/** Newest first; one row more than asked for if there is one. */
export const selectSubmissions = (
  { sql, organizationId }: InWorkspace,
  formId: string,
  { outcome }: SubmissionFilters,
  { limit, after }: PageRequest,
): Promise<SubmissionRow[]> =>
  sql.rows(
    `select id, contact_id, answers, outcome, created_at, run_id, form_version, conflict_contact_id
     from form_submissions
     where organization_id = $1 and form_id = $2 and ($3::text is null or outcome = $3) and ($4::text is null or id < $4)
     order by id desc limit $5`,
    [organizationId, formId, outcome ?? null, after?.id ?? null, limit + 1],
    'form-submissions',
  );

/** Names are compared case-insensitively. */
export const findAutomation = ({ sql, organizationId }: InWorkspace, name: string) =>
  first<{ id: string; name: string }>(
    sql,
    'select id, name from automations where organization_id = $1 and lower(name) = lower($2) for key share',
    [organizationId, name],
  );

/** The spelling in use of an existing tag. */
export const findTag = ({ sql, organizationId }: InWorkspace, tag: string) =>
  first<{ tag: string }>(
    sql,
    `select t.tag from contact_tags k
     join contacts c on c.organization_id = k.organization_id and c.id = k.contact_id, unnest(c.tags) as t (tag)
     where k.organization_id = $1 and k.tag_key = lower($2) and lower(t.tag) = k.tag_key
     limit 1`,
    [organizationId, tag],
  );
