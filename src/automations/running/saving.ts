import { updateContact } from '../../contacts/service.ts';
import { AppError, notFound } from '../../errors.ts';
import { misfit, patchOf, type Value } from '../contact-values.ts';
import type { AtStep, Outcome } from './effect.ts';

/** The contact of the run; 404 for a deleted one. */
export function contactOf({ run }: Pick<AtStep, 'run'>): string {
  if (run.contactId === null) throw notFound('contact');
  return run.contactId;
}

/**
 * Writes a field of the run's contact in the name of the automation, in the step's transaction: `name`, `email`,
 * `birth_date`, `language`, `notes` or `custom.<key>`. Null clears it.
 *
 * @returns null if it was written, otherwise why it cannot be: `invalid_answer`, naming the field
 */
export async function saveField(at: AtStep, field: string, value: Value): Promise<Outcome | null> {
  try {
    await updateContact(at.tx, contactOf(at), patchOf(field, value));
    return null;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'validation') throw error;
    const message = misfit(field, error);
    return { kind: 'fail', code: 'invalid_answer', message };
  }
}
