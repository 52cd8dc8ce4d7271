import { audit } from '../audit/service.ts';
import type { Context } from '../context.ts';
import { first } from '../db/sql.ts';
import { transact } from '../db/transact.ts';
import { newId } from '../ids.ts';
import { recordHappenings } from '../outbox/happenings.ts';
import type { AnswerValue } from './answers.ts';
import type { FormRow } from './queries.ts';
import { saveAnswers } from './saving.ts';

/** A page that was filled in, with its answers checked. */
export interface Submission {
  readonly form: FormRow;
  readonly values: ReadonlyMap<string, AnswerValue>;
  readonly linkedContactId: string | null;
  /** Under which the use of the page's one-time token is stored. */
  readonly tokenHash: Buffer;
}

/**
 * Stores a submission with all its effects in one transaction: the contact found or created, its fields, tag and
 * consent, and the start of the automation. The same page sent twice, even concurrently, is one submission.
 *
 * @returns the submission's id, or null if this page was sent before
 */
export const submitForm = (ctx: Context, submission: Submission): Promise<string | null> =>
  transact(ctx, async (tx) => {
    const { form, values, linkedContactId } = submission;
    const id = await keep(tx, submission);
    if (id === null) return null;
    const saved = await saveAnswers(tx, {
      formId: form.id,
      fields: form.fields,
      values,
      tag: form.tag,
      linkedContactId,
    });
    await tx.sql.rows(
      `update form_submissions set contact_id = $3, outcome = $4, conflict_contact_id = $5
       where organization_id = $1 and id = $2`,
      [tx.organizationId, id, saved.contactId, saved.outcome, saved.conflictContactId],
    );
    await recordHappenings(tx, [
      {
        type: 'form_submitted',
        contactId: saved.contactId,
        ref: id,
        data: { form_id: form.id },
        automationId: form.automation_id,
      },
    ]);
    await audit(tx, {
      action: 'form.submitted',
      target: { type: 'form', id: form.id, name: form.title },
      changes: [{ field: 'submission_id', from: null, to: id }],
    });
    return id;
  });

/** The unique index waits for a concurrent use of the token; then this one is the repeat. */
async function keep(tx: Context, { form, values, tokenHash }: Submission): Promise<string | null> {
  const row = await first<{ id: string }>(
    tx.sql,
    `insert into form_submissions (organization_id, id, form_id, form_version, answers, outcome, token_hash, created_at)
     values ($1, $2, $3, $4, $5, 'contact_unchanged', $6, $7)
     on conflict (organization_id, form_id, token_hash) do nothing returning id`,
    [
      tx.organizationId,
      newId('sub'),
      form.id,
      form.version,
      JSON.stringify(snapshot(form, values)),
      tokenHash,
      tx.now,
    ],
  );
  return row?.id ?? null;
}

/** Each answer with the label and type it was given to, so that later edits do not change the past. */
const snapshot = (
  { fields }: FormRow,
  values: ReadonlyMap<string, AnswerValue>,
): Record<string, unknown> =>
  Object.fromEntries(
    fields.map(({ key, label, type }) => [key, { label, type, value: values.get(key) ?? null }]),
  );
