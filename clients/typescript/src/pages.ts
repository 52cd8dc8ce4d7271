/** What every list answers. */
export interface Page<T> {
  readonly data: readonly T[];
  /** For the next page; null on the last one. */
  readonly next_cursor: string | null;
}

/**
 * Every record of a list, one page after the other:
 * `for await (const contact of paginate((page) => api.listContacts({ query: { ...page, tag: 'vip' } })))`.
 * A page is fetched when its first record is asked for, so breaking off costs nothing.
 *
 * @param limit records on a page, 1 to 100
 */
export async function* paginate<T>(
  list: (page: { limit: number; cursor?: string }) => Promise<Page<T>>,
  limit = 100,
): AsyncGenerator<T, void, undefined> {
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Page<T> = await list(cursor === '' ? { limit } : { limit, cursor });
    yield* page.data;
    cursor = page.next_cursor;
  }
}
