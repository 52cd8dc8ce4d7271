import { isId } from '../ids.ts';
import type { ConsolePage } from './page.ts';

export interface FoundPage {
  readonly page: ConsolePage;
  readonly params: Readonly<Record<string, string>>;
}

/** Finds the page for a path below a workspace; exact paths take precedence over patterns. */
export function pageTable(pages: readonly ConsolePage[]): (path: string) => FoundPage | null {
  const ordered = pages.toSorted(
    (a, b) => Number(a.path.includes(':')) - Number(b.path.includes(':')),
  );
  const patterns = ordered.map((page) => ({ page, pattern: patternOf(page.path) }));
  return (path) => {
    for (const { page, pattern } of patterns) {
      const found = pattern.exec(path);
      if (!found) continue;
      const params = { ...found.groups };
      return fits(page, params) ? { page, params } : null;
    }
    return null;
  };
}

const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/:([a-z]+)/g, '(?<$1>[A-Za-z0-9_-]+)')}$`);

/** An id of the wrong shape cannot exist, so the database is not asked. */
const fits = ({ id, part }: ConsolePage, params: Readonly<Record<string, string>>): boolean =>
  (!id || isId(id, params['id'] ?? '')) && (!part || isId(part, params['part'] ?? ''));
