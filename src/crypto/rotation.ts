import { type Database, inWorkspace } from '../db/database.ts';
import { workspacesAfter } from '../db/workspaces.ts';
import { DecryptionFailed, type Keyring } from './keyring.ts';
import {
  countValues,
  placeOf,
  replaceValues,
  SEALED_COLUMNS,
  type SealedColumn,
  type SealedValue,
  staleValues,
} from './sealed.ts';
import { countShared, sealSharedAgain } from './shared.ts';

/** How far a run has come. */
export interface RotationPosition {
  /** The last finished workspace; `''` at the start. */
  readonly after: string;
  /** Secrets re-encrypted so far. */
  readonly sealed: number;
}

/** A stored secret that cannot be read, and is left as it is. */
export interface Unreadable {
  readonly organizationId: string;
  readonly table: string;
  readonly column: string;
  readonly row: string;
  readonly reason: DecryptionFailed['reason'];
}

interface Control {
  readonly mayGoOn: () => boolean;
  readonly unreadable: (what: Unreadable) => void;
}

type Parts = { readonly database: Pick<Database, 'app' | 'system'>; readonly keyring: Keyring };

const PAGE = 100;

/**
 * Re-encrypts with the active key what older keys encrypted, workspace by workspace, while the service runs. A secret
 * that changes meanwhile is left alone, because it was written with the active key. With a single key there is
 * nothing to do.
 */
export async function sealAgain(
  parts: Parts,
  { after, sealed }: RotationPosition,
  control: Control,
): Promise<{ position: RotationPosition; finished: boolean }> {
  let position = { after, sealed };
  if (parts.keyring.keyIds.length === 1) return { position, finished: true };
  if (after === '') position.sealed += await sealShared(parts, control);
  const page = await workspacesAfter(parts.database, after);
  for (const id of page.ids) {
    if (!control.mayGoOn()) return { position, finished: false };
    let done = 0;
    for (const column of SEALED_COLUMNS) done += await sealColumn(parts, column, id, control);
    position = { after: id, sealed: position.sealed + done };
  }
  return { position, finished: page.last };
}

const sealShared = ({ database, keyring }: Parts, control: Control): Promise<number> =>
  sealSharedAgain(database, keyring.activeKeyId, (column, value) =>
    again({ keyring, control }, placeOf(column, '', value.row), value),
  );

async function sealColumn(
  { database, keyring }: Parts,
  column: SealedColumn,
  organizationId: string,
  control: Control,
): Promise<number> {
  const keyId = keyring.activeKeyId;
  let sealed = 0;
  let after = '';
  for (;;) {
    const wish = { organizationId, keyId, after, limit: PAGE };
    const page = await inWorkspace(database, organizationId, (sql) =>
      staleValues(sql, column, wish),
    );
    const values = page.flatMap((value) => {
      const place = placeOf(column, organizationId, value.row);
      const fresh = again({ keyring, control }, place, value);
      return fresh === null ? [] : [{ row: value.row, old: value.blob, fresh }];
    });
    if (values.length > 0) {
      sealed += await inWorkspace(database, organizationId, (sql) =>
        replaceValues(sql, column, organizationId, values),
      );
    }
    if (page.length < PAGE) return sealed;
    after = page.at(-1)?.row ?? '';
  }
}

/** The value encrypted with the active key. If no key decrypts it, reports it and returns null. */
function again(
  { keyring, control }: { readonly keyring: Keyring; readonly control: Control },
  place: ReturnType<typeof placeOf>,
  { blob }: SealedValue,
): string | null {
  try {
    return keyring.encrypt(keyring.decrypt(blob, place), place);
  } catch (error) {
    if (!(error instanceof DecryptionFailed)) throw error;
    control.unreadable({ ...place, reason: error.reason });
    return null;
  }
}

/** How many secrets a key encrypted, in one column. */
export interface SealedCount {
  readonly keyId: string;
  readonly table: string;
  readonly column: string;
  readonly count: number;
}

/** Of all workspaces, sorted by key, table and column. */
export async function countSealed(
  database: Pick<Database, 'app' | 'system'>,
): Promise<SealedCount[]> {
  const shared = await countShared(database);
  const counts = new Map<string, SealedCount>(
    shared.map((count) => [`${count.keyId} ${count.table} ${count.column}`, count]),
  );
  let after = '';
  for (;;) {
    const page = await workspacesAfter(database, after);
    for (const id of page.ids) {
      for (const count of await inWorkspace(database, id, (sql) => countWorkspace(sql, id))) {
        const name = `${count.keyId} ${count.table} ${count.column}`;
        counts.set(name, { ...count, count: count.count + (counts.get(name)?.count ?? 0) });
      }
    }
    if (page.last) break;
    after = page.ids.at(-1) ?? '';
  }
  return [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, count]) => count);
}

async function countWorkspace(
  sql: Parameters<typeof countValues>[0],
  organizationId: string,
): Promise<SealedCount[]> {
  const counts: SealedCount[] = [];
  for (const { table, column, row } of SEALED_COLUMNS) {
    const rows = await countValues(sql, { table, column, row }, organizationId);
    counts.push(...rows.map(({ keyId, n }) => ({ keyId, table, column, count: n })));
  }
  return counts;
}
