import { type Change, changesBetween } from '../../audit/rules.ts';
import type { ContactWriting, Draft } from '../drafts.ts';
import { changesOf, mergeInto } from './filling-in.ts';

/** A contact as an import finds or leaves it. */
export interface ImportState extends Draft {
  readonly opted_out: boolean;
  readonly blocked: boolean;
}

/** Applies a row to a contact; no file takes back that somebody is opted out or blocked. */
export const takeRow = (person: ImportState, row: ImportState): ImportState => ({
  ...mergeInto(person, row),
  opted_out: person.opted_out || row.opted_out,
  blocked: person.blocked || row.blocked,
});

/** What the audit log says of a contact that was changed; an opt-out has an entry of its own. */
export const changesIn = (before: ImportState, after: ImportState): Change[] => [
  ...changesOf(before, after),
  ...changesBetween({ blocked: before.blocked }, { blocked: after.blocked }),
];

/** Writes down that they are blocked. */
export async function block(tx: ContactWriting, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await tx.sql.rows(
    'update contacts set blocked = true, updated_at = $3 where organization_id = $1 and id = any($2::text[])',
    [tx.organizationId, ids, tx.now],
  );
}

/** Whether this change makes somebody one who wants no messages. */
export const optsOut = (before: ImportState | null, after: ImportState): boolean =>
  after.opted_out && !before?.opted_out;
