import type { AuditValue } from '../audit/rules.ts';
import type { Context } from '../context.ts';
import { AppError } from '../errors.ts';
import { type Keyed, withKeys } from './fields.ts';
import { type FormRow, findAutomation, findTag } from './queries.ts';
import type { FormPatch, NewForm } from './schema.ts';

/** What an editor decides about a form, as it is stored. */
export interface FormContent extends Keyed {
  readonly title: string;
  readonly description: string | null;
  readonly thanks: string | null;
  readonly tag: string | null;
  readonly automation: { readonly id: string; readonly name: string } | null;
  readonly personalLink: boolean;
}

export const EMPTY: FormContent = {
  title: '',
  description: null,
  fields: [],
  fieldKeys: [],
  thanks: null,
  tag: null,
  automation: null,
  personalLink: false,
};

/** The editable content of a form's row. */
export const contentOf = (row: FormRow): FormContent => ({
  title: row.title,
  description: row.description,
  fields: row.fields,
  fieldKeys: row.field_keys,
  thanks: row.thanks,
  tag: row.tag,
  automation:
    row.automation_id === null ? null : { id: row.automation_id, name: row.automation ?? '' },
  personalLink: row.personal_link,
});

/**
 * Applies a patch; what it leaves out stays. Throws 422 for keys that are not the form's, and `unknown_automation`.
 */
export async function contentAfter(
  tx: Context,
  before: FormContent,
  given: FormPatch | NewForm,
): Promise<FormContent> {
  const { title = before.title, description = before.description } = given;
  const { thanks = before.thanks, personal_link: personalLink = before.personalLink } = given;
  const { fields, fieldKeys } = given.fields ? withKeys(given.fields, before) : before;
  const { tag, automation } = given;
  return {
    title,
    description,
    fields,
    fieldKeys,
    thanks,
    tag: tag === undefined ? before.tag : await spelledTag(tx, tag),
    automation: automation === undefined ? before.automation : await named(tx, automation),
    personalLink,
  };
}

/** Fields as the audit log shows them, one line each. */
export const auditable = (content: FormContent): Record<string, AuditValue> => ({
  title: content.title,
  description: content.description,
  fields: content.fields.map((field) => JSON.stringify(field)),
  thanks: content.thanks,
  tag: content.tag,
  automation: content.automation?.name ?? null,
  personal_link: content.personalLink,
});

/** An existing tag is matched case-insensitively; otherwise this form's spelling creates it. */
const spelledTag = async (tx: Context, tag: string | null): Promise<string | null> =>
  tag === null ? null : ((await findTag(tx, tag))?.tag ?? tag);

async function named(tx: Context, name: string | null): Promise<FormContent['automation']> {
  if (name === null) return null;
  const automation = await findAutomation(tx, name);
  if (automation) return automation;
  const message = 'There is no automation of this name.';
  throw new AppError('unknown_automation', message, { automation: name });
}
