import type { Database } from '../../db/database.ts';

/** Remembered keys: about 2 MB of memory. */
const MOST = 10_000;

/**
 * The workspace of an API key, by the key's hash; null if the key never existed. It only decides whose share of the
 * connections a call uses before it is authenticated; whether the key is valid is checked at each call. A key never
 * changes its workspace, so each is looked up once.
 */
export type KeyOwner = (hash: Buffer) => Promise<string | null>;

export function keyOwners({ system }: Pick<Database, 'system'>): KeyOwner {
  const owners = new Map<string, string>();
  return async (hash) => {
    const name = hash.toString('base64');
    const known = owners.get(name);
    if (known) return known;
    const { rows } = await system.query<{ organization_id: string }>({
      name: 'key-owner',
      text: 'select organization_id from api_keys where hash = $1',
      values: [hash],
    });
    const owner = rows[0]?.organization_id ?? null;
    if (owner) owners.set(name, owner);
    const [oldest] = owners.size > MOST ? owners.keys() : [];
    if (oldest) owners.delete(oldest);
    return owner;
  };
}
