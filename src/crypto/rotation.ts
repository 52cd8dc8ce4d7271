import { type Database, inWorkspace } from '../db/database.ts';
import type { Sweep } from '../db/sweeping.ts';
import { eachWorkspace, workspacesAfter } from '../db/workspaces.ts';
import { DecryptionFailed, type Keyring, type SecretPlace } from './keyring.ts';
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

/** A stored secret that cannot be read, and is left as it is. */
export interface Unreadable {
  readonly organizationId: string;
  readonly table: string;
  readonly column: string;
  readonly row: string;
  readonly reason: DecryptionFailed['reason'];
}

type Parts = { readonly database: Pick<Database, 'app' | 'system'>; readonly keyring: Keyring };

const PAGE = 100;

/** What belongs to no workspace comes first, as if it were one's. */
const SHARED = '';

/**
 * Re-encrypts with the active key what older keys encrypted, workspace by workspace, while the service runs. A secret
 * that changes meanwhile is left alone, because it was written with the active key. With a single key there is
 * nothing to do.
 *
 * @param unreadable called for each secret that no key decrypts, once nothing else is left to do in its workspace
 */
export const sealing = (parts: Parts, unreadable: (what: Unreadable) => void): Sweep => ({
  page: async (after) => {
    if (parts.keyring.keyIds.length === 1) return { ids: [], last: true };
    const { ids, last } = await workspacesAfter(parts.database, after);
    return { ids: after === SHARED ? [SHARED, ...ids] : ids, last };
  },
  tend: async (organizationId) => {
    const left: Unreadable[] = [];
    const again = sealingAgain(parts.keyring, left);
    const sealed =
      organizationId === SHARED
        ? await sealShared(parts, again)
        : await sealWorkspace(parts, organizationId, again);
    if (sealed === 0) for (const place of left) unreadable(place);
    return sealed;
  },
});

/** The value encrypted with the active key; null if no key decrypts it. */
type Again = (place: SecretPlace, value: SealedValue) => string | null;

const sealingAgain =
  (keyring: Keyring, left: Unreadable[]): Again =>
  (place, { blob }) => {
    try {
      return keyring.encrypt(keyring.decrypt(blob, place), place);
    } catch (error) {
      if (!(error instanceof DecryptionFailed)) throw error;
      left.push({ ...place, reason: error.reason });
      return null;
    }
  };

const sealShared = ({ database, keyring }: Parts, again: Again): Promise<number> =>
  sealSharedAgain(database, keyring.activeKeyId, (column, value) =>
    again(placeOf(column, SHARED, value.row), value),
  );

async function sealWorkspace(parts: Parts, organizationId: string, again: Again): Promise<number> {
  let sealed = 0;
  for (const column of SEALED_COLUMNS)
    sealed += await sealColumn(parts, column, organizationId, again);
  return sealed;
}

async function sealColumn(
  { database, keyring }: Parts,
  column: SealedColumn,
  organizationId: string,
  again: Again,
): Promise<number> {
  const keyId = keyring.activeKeyId;
  let sealed = 0;
  let after = '';
  for (;;) {
    const query = { organizationId, keyId, after, limit: PAGE };
    const page = await inWorkspace(database, organizationId, (sql) =>
      staleValues(sql, column, query),
    );
    const values = page.flatMap((value) => {
      const fresh = again(placeOf(column, organizationId, value.row), value);
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
  for await (const id of eachWorkspace(database)) {
    for (const count of await inWorkspace(database, id, (sql) => countWorkspace(sql, id))) {
      const name = `${count.keyId} ${count.table} ${count.column}`;
      counts.set(name, { ...count, count: count.count + (counts.get(name)?.count ?? 0) });
    }
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
