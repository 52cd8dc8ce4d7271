import { appOf, signatureOf } from '../../access/actor.ts';
import { audit } from '../../audit/service.ts';
import type { Context, InWorkspace } from '../../context.ts';
import { first } from '../../db/sql.ts';
import { transact } from '../../db/transact.ts';
import { invalidState, notFound } from '../../errors.ts';
import type { Upload } from '../../http/body/spool.ts';
import { pageOf } from '../../http/page.ts';
import type { PageOf, PageRequest } from '../../http/route.ts';
import { newId } from '../../ids.ts';
import { recordCommand } from '../../outbox/record.ts';
import { isOpen } from '../rules.ts';
import type { ImportFilters, ImportRowView, ImportView } from '../schema.ts';
import { type CsvRow, readCsv } from './csv.ts';

export const MAX_IMPORT_BYTES = 10 * 1024 * 1024;
const MAX_IMPORT_ROWS = 100_000;
const PIECE_BYTES = 64 * 1024;
const ROWS_AT_ONCE = 1_000;

/**
 * Stores the file's rows and returns; the workflow `importContacts` does the rest. Throws 422 for a file that cannot
 * be read.
 */
export const beginImport = (ctx: Context, file: Upload): Promise<ImportView> =>
  transact(ctx, async (tx) => {
    const id = newId('imp');
    const by = JSON.stringify(signatureOf(tx.actor));
    const app = appOf(tx.actor);
    await tx.sql.rows(
      `insert into contact_imports (organization_id, id, file_name, created_by, created_through, created_at)
       values ($1, $2, $3, $4, $5, $6)`,
      [tx.organizationId, id, file.name, by, app && JSON.stringify(app), tx.now],
    );
    let total = 0;
    let failed = 0;
    let rows: CsvRow[] = [];
    for await (const row of readCsv(file.pieces(PIECE_BYTES), MAX_IMPORT_ROWS)) {
      rows.push(row);
      total += 1;
      if (row.problem) failed += 1;
      if (rows.length < ROWS_AT_ONCE) continue;
      await keepRows(tx, id, rows);
      rows = [];
    }
    await keepRows(tx, id, rows);
    await tx.sql.rows(
      'update contact_imports set total = $3, failed = $4 where organization_id = $1 and id = $2',
      [tx.organizationId, id, total, failed],
    );
    await recordCommand(tx, 'import.started', { importId: id });
    await audit(tx, {
      action: 'contact.import_started',
      target: { type: 'import', id, name: file.name },
      changes: [{ field: 'total', from: null, to: total }],
    });
    return getImport(tx, id);
  });

/** A row that cannot be used gets its outcome right away. */
const keepRows = (tx: Context, id: string, rows: readonly CsvRow[]): Promise<unknown> =>
  tx.sql.rows(
    `insert into contact_import_rows (organization_id, import_id, line, fields, outcome, problems)
     select $1, $2, r.line, r.fields, case when r.problem is not null then 'failed' end,
       case when r.problem is not null then jsonb_build_array(r.problem) end
     from jsonb_to_recordset($3::jsonb) r (line int, fields jsonb, problem jsonb)`,
    [tx.organizationId, id, JSON.stringify(rows)],
  );

/** Stops an import. Contacts already imported stay; the remaining rows get no outcome. */
export const cancelImport = (ctx: Context, id: string): Promise<ImportView> =>
  transact(ctx, async (tx) => {
    const row = await first<{ status: ImportView['status']; file_name: string }>(
      tx.sql,
      'select status, file_name from contact_imports where organization_id = $1 and id = $2 for update',
      [tx.organizationId, id],
    );
    if (!row) throw notFound('import');
    if (!isOpen(row.status)) throw invalidState(row.status, ['pending', 'running']);
    await tx.sql.rows(
      `with forgotten as (
         update contact_import_rows set fields = '{}' where organization_id = $1 and import_id = $2 and outcome is null)
       update contact_imports set status = 'cancelled', finished_at = $3 where organization_id = $1 and id = $2`,
      [tx.organizationId, id, tx.now],
    );
    await audit(tx, {
      action: 'contact.import_cancelled',
      target: { type: 'import', id, name: row.file_name },
      changes: [{ field: 'status', from: row.status, to: 'cancelled' }],
    });
    return getImport(tx, id);
  });

interface ImportRow extends Omit<ImportView, 'started_at' | 'finished_at' | 'created_at'> {
  readonly started_at: Date | null;
  readonly finished_at: Date | null;
  readonly created_at: Date;
}

const COLUMNS = `id, file_name, status, total, created, updated, unchanged, failed, created_by,
  started_at, finished_at, created_at`;

const present = (row: ImportRow): ImportView => ({
  ...row,
  started_at: row.started_at?.toISOString() ?? null,
  finished_at: row.finished_at?.toISOString() ?? null,
  created_at: row.created_at.toISOString(),
});

/** An import as the API shows it. Throws 404. */
export async function getImport(
  { sql, organizationId }: InWorkspace,
  id: string,
): Promise<ImportView> {
  const row = await first<ImportRow>(
    sql,
    `select ${COLUMNS} from contact_imports where organization_id = $1 and id = $2`,
    [organizationId, id],
  );
  if (!row) throw notFound('import');
  return present(row);
}

/** Whether what became of its rows has been deleted (`forgetting.ts`). */
export async function areRowsGone(
  { sql, organizationId }: InWorkspace,
  id: string,
): Promise<boolean> {
  const row = await first<{ gone: boolean }>(
    sql,
    'select rows_gone as gone from contact_imports where organization_id = $1 and id = $2',
    [organizationId, id],
  );
  return row?.gone ?? false;
}

/** Newest first. */
export async function listImports(
  { sql, organizationId }: InWorkspace,
  page: PageRequest,
): Promise<PageOf<ImportView>> {
  const rows = await sql.rows<ImportRow>(
    `select ${COLUMNS} from contact_imports
     where organization_id = $1 and ($3::text is null or id < $3) order by id desc limit $2`,
    [organizationId, page.limit + 1, page.after?.id ?? null],
  );
  return pageOf(rows, page, present);
}

/** In the order of the file. */
export async function listImportRows(
  ctx: InWorkspace,
  id: string,
  { outcome }: ImportFilters,
  page: PageRequest,
): Promise<PageOf<ImportRowView>> {
  await getImport(ctx, id);
  const rows = await ctx.sql.rows<ImportRowView>(
    `select line, outcome, contact_id, coalesce(problems, '[]') as problems from contact_import_rows
     where organization_id = $1 and import_id = $2 and line > $4${outcome ? ' and outcome = $5' : ''}
     order by line limit $3`,
    [
      ctx.organizationId,
      id,
      page.limit + 1,
      Number(page.after?.id ?? 0),
      ...(outcome ? [outcome] : []),
    ],
  );
  return pageOf(
    rows.map((row) => ({ ...row, id: String(row.line) })),
    page,
    ({ id: _, ...row }) => row,
  );
}
