import { pathTable } from '../http/mount.ts';
import { isId } from '../ids.ts';
import type { ConsolePage } from './page.ts';

export interface FoundPage {
  readonly page: ConsolePage;
  readonly params: Readonly<Record<string, string>>;
}

/** Finds the page for a path below a workspace. */
export function pageTable(pages: readonly ConsolePage[]): (path: string) => FoundPage | null {
  const find = pathTable(pages);
  return (path) => {
    const found = find(path);
    if (!found || !fits(found.place, found.params)) return null;
    return { page: found.place, params: found.params };
  };
}

/** An id of the wrong shape cannot exist, so the database is not asked. */
const fits = ({ id, part }: ConsolePage, params: Readonly<Record<string, string>>): boolean =>
  (!id || isId(id, params['id'] ?? '')) && (!part || isId(part, params['part'] ?? ''));
