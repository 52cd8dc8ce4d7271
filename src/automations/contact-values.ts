import { birth } from '../contacts/drafts.ts';
import { contactPatchOf } from '../contacts/service.ts';
import { truncate } from '../conversations/sending/lengths.ts';
import { AppError, type FieldProblem } from '../errors.ts';

export type Value = string | number | boolean | null;

/** What the first of a refusal's fields says, because the author sees no fields; otherwise what the refusal says. */
export function reasonOf({ details, message }: AppError): string {
  const [problem] = Array.isArray(details) ? (details as FieldProblem[]) : [];
  return problem?.message ?? message;
}

/** Longer texts are cut, in code points, so that what a person or a server said is stored as far as it fits. */
const LONGEST = { name: 200, notes: 5_000, custom: 2_000 };
/** What an empty text or null stands for; a name cannot be cleared. */
const EMPTY: Readonly<Record<string, Value>> = {
  email: null,
  birth_date: null,
  language: null,
  notes: '',
};

/** What a step writes into a field of a contact: cut to what fits. Throws 422 `validation` for what it cannot hold. */
export function patchOf(field: string, value: Value): ReturnType<typeof contactPatchOf> {
  return contactPatchOf(bodyOf(field, value));
}

function bodyOf(field: string, value: Value): Record<string, unknown> {
  const key = /^custom\.(.+)$/.exec(field)?.[1];
  if (key !== undefined)
    return {
      custom: { [key]: typeof value === 'string' ? truncate(value, LONGEST.custom) : value },
    };
  const said = value === null ? '' : String(value).trim();
  if (said === '' && field in EMPTY) return { [field]: EMPTY[field] };
  const longest = field === 'name' || field === 'notes' ? LONGEST[field] : said.length;
  return { [field]: truncate(said, longest) };
}

export const misfit = (field: string, refusal: AppError): string =>
  `The value does not fit ${field}. ${reasonOf(refusal)}`;

/** What will have been today by then: a date to come is no birthday yet, one before 1900 never. */
const LAST_DAY = '9999-12-31';

/** Why no contact can hold the value in this field, whatever day it is; null if one can. */
export function misfitOf(field: string, value: Value): string | null {
  try {
    birth(patchOf(field, value), LAST_DAY);
    return null;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'validation') throw error;
    return misfit(field, error);
  }
}
