import type { ReadContext } from '../context.ts';
import { notFound } from '../errors.ts';
import type { PageOf, PageRequest } from '../http/route.ts';
import { presentNumber } from './present.ts';
import { selectNumber, selectNumbers } from './queries.ts';
import type { NumberView } from './schema.ts';

export async function getNumber(ctx: ReadContext, id: string): Promise<NumberView> {
  const row = await selectNumber(ctx, id);
  if (!row) throw notFound('number');
  return presentNumber(row);
}

/** Newest first. */
export async function listNumbers(
  ctx: ReadContext,
  page: PageRequest,
): Promise<PageOf<NumberView>> {
  const rows = await selectNumbers(ctx, page);
  const data = rows.slice(0, page.limit).map(presentNumber);
  const last = rows.length > page.limit ? data.at(-1) : undefined;
  return { data, next: last ? { id: last.id, at: null } : null };
}
