import type { Context } from '../../src/context.ts';
import { transact } from '../../src/db/transact.ts';

/** Rows of a workspace, past the service. */
export const rowsOf = <R = Record<string, unknown>>(
  ctx: Context,
  text: string,
  params: readonly unknown[] = [],
): Promise<R[]> => transact(ctx, ({ sql }) => sql.rows<R>(text, params));

/** The data of the workspace's facts of a type, in the order they were recorded. */
export async function factsOf(ctx: Context, type: string): Promise<Record<string, unknown>[]> {
  const rows = await rowsOf<{ payload: string }>(
    ctx,
    'select payload from facts where type = $1 order by id',
    [type],
  );
  return rows.map(({ payload }) => JSON.parse(payload).data);
}

interface Audited {
  readonly action: string;
  readonly changes: unknown;
}

/** What the log says happened to a record, in order. */
export const auditOf = (ctx: Context, id: string): Promise<Audited[]> =>
  rowsOf(ctx, "select action, changes from audit_entries where target ->> 'id' = $1 order by seq", [
    id,
  ]);

export const auditActions = async (ctx: Context, id: string): Promise<string[]> =>
  (await auditOf(ctx, id)).map(({ action }) => action);
