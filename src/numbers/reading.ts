import type { ReadContext } from '../context.ts';
import { notFound } from '../errors.ts';
import { pageOf } from '../http/page.ts';
import type { PageOf, PageRequest } from '../http/route.ts';
import { presentNumber } from './present.ts';
import { selectNumber, selectNumbers } from './queries.ts';
import type { NumberView } from './schema.ts';

/** A number as the API shows it. Throws 404, also if the caller cannot see it. */
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
  return pageOf(rows, page, presentNumber);
}
