import type { PageOf, PageRequest } from './route.ts';

/**
 * Makes a page from rows, of which one more than `limit` was requested: its presence shows that another page follows.
 * `at` is given by lists sorted by a time.
 */
export function pageOf<R extends { readonly id: string }, V>(
  rows: readonly R[],
  { limit }: PageRequest,
  present: (row: R) => V,
  at: (row: R) => string | null = () => null,
): PageOf<V> {
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return {
    data: shown.map((row) => present(row)),
    next: last ? { id: last.id, at: at(last) } : null,
  };
}
