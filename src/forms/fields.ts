import { AppError, validation } from '../errors.ts';
import type { FieldRule } from '../http/error-guide/field-rules.ts';
import { type FormField, identifies, newKey } from './rules.ts';

/** A field as a caller gives it; with a key, it is an existing one. */
export type FieldDraft = Omit<FormField, 'key'> & { readonly key?: string | undefined };

/** The form's fields, and every key it has ever used. */
export interface Keyed {
  readonly fields: readonly FormField[];
  readonly fieldKeys: readonly string[];
}

/**
 * Gives each field its key. A field keeps the key it names, or that of the field with exactly its label. Any other
 * field is new and gets a key that was never used before, so that old answers keep their meaning. Throws 422 for a
 * key that the form does not have, or that is named twice.
 */
export function withKeys(drafts: readonly FieldDraft[], before: Keyed): Keyed {
  const known = new Map(before.fields.map((field) => [field.key, field]));
  const named = new Set<string>();
  for (const [i, { key }] of drafts.entries()) {
    if (key === undefined) continue;
    if (!known.has(key)) throw wrongKey(i, 'unknown_key', 'The form has no field with this key.');
    if (named.has(key)) throw wrongKey(i, 'unique', 'Another field has this key already.');
    named.add(key);
  }
  const free = before.fields.filter(({ key }) => !named.has(key));
  const ever = new Set(before.fieldKeys);
  const fields = drafts.map((draft) => {
    const key = draft.key ?? takeByLabel(free, draft.label) ?? newKey(draft.label, ever);
    ever.add(key);
    const { type, label, required, save_to, options } = draft;
    return { key, type, label, required, save_to, options };
  });
  return { fields, fieldKeys: [...ever] };
}

function takeByLabel(free: FormField[], label: string): string | undefined {
  const at = free.findIndex((field) => field.label === label);
  return at === -1 ? undefined : free.splice(at, 1)[0]?.key;
}

const wrongKey = (index: number, rule: FieldRule, message: string): AppError =>
  validation([{ path: `fields[${index}].key`, rule, message }]);

/** 422 `form_without_identity`: no one would know who answered (design decisions §3). */
export function requireIdentity({
  fields,
  personalLink,
}: {
  readonly fields: readonly FormField[];
  readonly personalLink: boolean;
}): void {
  if (personalLink || identifies(fields)) return;
  const message =
    'A form must know who answers: add a required phone field that saves to phone, or set personal_link to true.';
  throw new AppError('form_without_identity', message, { path: 'fields' });
}
