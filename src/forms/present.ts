import type { FormRow, SubmissionRow } from './queries.ts';
import type { FormField } from './rules.ts';
import type { FormView, SubmissionView } from './schema.ts';

/** The address at which people open a form. */
export const formUrl = (baseUrl: string, id: string): string => `${baseUrl}/f/${id}`;

const presentField = ({ type, label, required, save_to, options, key }: FormField) => ({
  type,
  label,
  required,
  save_to,
  options: [...options],
  key,
});

export const presentForm = (row: FormRow, baseUrl: string): FormView => ({
  id: row.id,
  title: row.title,
  description: row.description,
  fields: row.fields.map(presentField),
  thanks: row.thanks,
  tag: row.tag,
  automation: row.automation,
  status: row.status,
  version: row.version,
  personal_link: row.personal_link,
  url: row.status === 'published' ? formUrl(baseUrl, row.id) : null,
  created_by: row.created_by,
  published_at: row.published_at?.toISOString() ?? null,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});

/** `contact_id` is `""` once the contact is deleted, because the specification does not allow null. */
export const presentSubmission = (row: SubmissionRow): SubmissionView => ({
  id: row.id,
  contact_id: row.contact_id ?? '',
  answers: row.answers,
  outcome: row.outcome,
  created_at: row.created_at.toISOString(),
  run_id: row.run_id,
  form_version: row.form_version,
  conflict_contact_id: row.conflict_contact_id,
});
