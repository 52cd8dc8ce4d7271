import { contactPatchOf, updateContact } from '../../contacts/service.ts';
import { cut } from '../../conversations/sending/lengths.ts';
import { AppError, type FieldProblem, notFound } from '../../errors.ts';
import type { AtStep, Outcome } from './effect.ts';

type Value = string | number | boolean | null;

/** The contact of the run; 404 for a deleted one. */
export function contactOf({ run }: Pick<AtStep, 'run'>): string {
  if (run.contactId === null) throw notFound('contact');
  return run.contactId;
}

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

/**
 * Writes a field of the run's contact in the name of the automation, in the step's transaction: `name`, `email`,
 * `birth_date`, `language`, `notes` or `custom.<key>`. Null clears it.
 *
 * @returns null if it was written, otherwise why it cannot be: `invalid_answer`, naming the field
 */
export async function saveField(at: AtStep, field: string, value: Value): Promise<Outcome | null> {
  try {
    await updateContact(at.tx, contactOf(at), contactPatchOf(patchOf(field, value)));
    return null;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'validation') throw error;
    const message = `The value does not fit ${field}. ${reasonOf(error)}`;
    return { kind: 'fail', code: 'invalid_answer', message };
  }
}

function patchOf(field: string, value: Value): Record<string, unknown> {
  const key = /^custom\.(.+)$/.exec(field)?.[1];
  if (key !== undefined)
    return { custom: { [key]: typeof value === 'string' ? cut(value, LONGEST.custom) : value } };
  const said = value === null ? '' : String(value).trim();
  if (said === '' && field in EMPTY) return { [field]: EMPTY[field] };
  const longest = field === 'name' || field === 'notes' ? LONGEST[field] : said.length;
  return { [field]: cut(said, longest) };
}
