import { type AppSignature, onBehalfOf, type Signature, system } from '../../access/actor.ts';
import { audit } from '../../audit/service.ts';
import type { Context } from '../../context.ts';
import type { ContextFor } from '../../db/contexts.ts';
import { first } from '../../db/sql.ts';
import { transact } from '../../db/transact.ts';
import { AppError, type FieldProblem, unavailable } from '../../errors.ts';
import { IMPORT_BATCH, type ImportProgress, isOpen } from '../rules.ts';
import { type ImportedRow, importRows } from './rows.ts';
import { cancelImport } from './service.ts';

export interface ImportRef {
  readonly organizationId: string;
  readonly importId: string;
}

const TRIES = 3;

/**
 * Imports batch by batch, as long as `mayGoOn` says so. A batch, the outcome of each row and the counts are one
 * transaction, so a process that dies leaves only whole batches behind, and the next one continues after them.
 */
export async function importSome(
  contextFor: ContextFor,
  ref: ImportRef,
  mayGoOn: () => boolean,
): Promise<ImportProgress> {
  let progress: ImportProgress;
  do {
    const ctx = contextFor(ref.organizationId, system('contact import'));
    progress = await oneBatch(ctx, ref.importId);
  } while (isOpen(progress.status) && mayGoOn());
  return progress;
}

async function oneBatch(ctx: Context, importId: string): Promise<ImportProgress> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transact(ctx, (tx) => takeBatch(tx, importId));
    } catch (error) {
      // Someone with one of these phones wrote to us between the lookup and the write.
      if (!(error instanceof AppError) || error.code !== 'conflict') throw error;
      if (attempt === TRIES)
        throw unavailable('Contacts of the import keep changing.', { cause: error });
    }
  }
}

interface Standing {
  readonly status: ImportProgress['status'];
  readonly file_name: string;
  readonly created_by: Signature;
  readonly created_through: AppSignature | null;
  readonly total: number;
  readonly done: number;
  readonly failed: number;
}

/** Held until the commit, so that an answered cancel takes effect before the next batch. */
const lock = (tx: Context, importId: string): Promise<Standing | null> =>
  first(
    tx.sql,
    `select status, file_name, created_by, created_through, total, failed, created + updated + unchanged + failed as done
     from contact_imports where organization_id = $1 and id = $2 for update`,
    [tx.organizationId, importId],
  );

async function takeBatch(ours: Context, importId: string): Promise<ImportProgress> {
  const standing = await lock(ours, importId);
  if (!standing) return { status: 'gone', total: 0, done: 0, failed: 0 };
  const { status, total, done, failed } = standing;
  if (!isOpen(status)) return { status, total, done, failed };
  const tx = { ...ours, actor: onBehalfOf(standing.created_by, standing.created_through) };
  const rows = await tx.sql.rows<{ line: number; fields: Record<string, unknown> }>(
    `select line, fields from contact_import_rows
     where organization_id = $1 and import_id = $2 and outcome is null order by line limit ${IMPORT_BATCH}`,
    [tx.organizationId, importId],
  );
  const outcomes = await importRows(
    tx,
    rows.map(({ fields }) => fields),
  );
  const lost = outcomes.filter(({ outcome }) => outcome === 'invalid').length;
  const next = rows.length < IMPORT_BATCH ? 'done' : 'running';
  await writeDown(tx, importId, { lines: rows.map(({ line }) => line), outcomes, next });
  if (next === 'done') {
    await audit(tx, {
      action: 'contact.import_finished',
      target: { type: 'import', id: importId, name: standing.file_name },
      changes: [{ field: 'failed', from: null, to: failed + lost }],
    });
  }
  return { status: next, total, done: done + rows.length, failed: failed + lost };
}

interface Batch {
  readonly lines: readonly number[];
  readonly outcomes: readonly ImportedRow[];
  readonly next: 'running' | 'done';
}

const shownOutcome = ({ outcome }: ImportedRow): string =>
  outcome === 'invalid' ? 'failed' : outcome;

const shownProblems = ({ problems }: ImportedRow): readonly FieldProblem[] | null =>
  problems.length > 0 ? problems : null;

/** Clears the row's content once it has an outcome: the contact has it now, and the file belongs to its owner. */
async function writeDown(tx: Context, importId: string, batch: Batch): Promise<void> {
  const { lines, outcomes, next } = batch;
  await tx.sql.rows(
    `update contact_import_rows r set outcome = o.outcome, contact_id = o.contact_id, problems = o.problems, fields = '{}'
     from unnest($3::int[], $4::text[], $5::text[], $6::jsonb[]) o (line, outcome, contact_id, problems)
     where r.organization_id = $1 and r.import_id = $2 and r.line = o.line`,
    [
      tx.organizationId,
      importId,
      lines,
      outcomes.map(shownOutcome),
      outcomes.map(({ contactId }) => contactId),
      outcomes.map((row) => {
        const problems = shownProblems(row);
        return problems && JSON.stringify(problems);
      }),
    ],
  );
  const count = (wanted: string): number =>
    outcomes.filter((row) => shownOutcome(row) === wanted).length;
  await tx.sql.rows(
    `update contact_imports set status = $3, created = created + $4, updated = updated + $5,
       unchanged = unchanged + $6, failed = failed + $7, started_at = coalesce(started_at, $8),
       finished_at = case when $3 = 'done' then $8::timestamptz end
     where organization_id = $1 and id = $2`,
    [
      tx.organizationId,
      importId,
      next,
      count('created'),
      count('updated'),
      count('unchanged'),
      count('failed'),
      tx.now,
    ],
  );
}

/** The operator cancelled its workflow, so the row is marked too. An import that has ended stays as it is. */
export async function cancelImportByOperator(ctx: Context, importId: string): Promise<void> {
  try {
    await cancelImport(ctx, importId);
  } catch (error) {
    const over = error instanceof AppError && ['invalid_state', 'not_found'].includes(error.code);
    if (!over) throw error;
  }
}
