import { UNSTORABLE } from '../../db/storable.ts';

/** The tags of a contact in one cell: separated by semicolons, or a JSON array where that would be read as others. */
export function tagsCell(tags: readonly string[]): string {
  const cell = tags.join(';');
  return tags.some((tag) => tag.includes(';')) || listIn(cell) ? JSON.stringify(tags) : cell;
}

/** The tags of a cell that `tagsCell` wrote, or somebody. */
export const tagsIn = (cell: string): readonly string[] =>
  listIn(cell) ??
  cell
    .split(';')
    .map((tag) => tag.trim())
    .filter(Boolean);

function listIn(cell: string): readonly string[] | null {
  if (!cell.startsWith('[')) return null;
  try {
    const list: unknown = JSON.parse(cell);
    if (!Array.isArray(list) || list.some((tag) => typeof tag !== 'string')) return null;
    return UNSTORABLE.test(JSON.stringify(list)) ? null : list;
  } catch {
    return null;
  }
}
