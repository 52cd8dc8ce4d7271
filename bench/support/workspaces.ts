import { system } from '../../src/access/actor.ts';
import type { Scope } from '../../src/access/scopes.ts';
import { createApiKey } from '../../src/api-keys/service.ts';
import { parsePhone } from '../../src/contacts/identity/phones.ts';
import type { Context, Wake } from '../../src/context.ts';
import { createContext } from '../../src/db/contexts.ts';
import { type Database, inWorkspace } from '../../src/db/database.ts';
import { newId } from '../../src/ids.ts';
import { createWorkspace } from '../../src/workspaces/service.ts';
import { phoneOf } from './people.ts';

/** A workspace on the largest plan, made as the command line makes one. */
export async function aWorkspace(database: Database, wake: Wake = () => {}): Promise<Context> {
  const now = new Date();
  const parts = { database, wake };
  const { workspaceId } = await createWorkspace(
    parts,
    { name: 'Bench', plan: 'escala', ownerEmail: 'owner@bench.example.com' },
    { now },
  );
  return createContext(parts, { organizationId: workspaceId, actor: system('bench'), now });
}

export async function someKeys(
  ctx: Context,
  count: number,
  scopes: Scope[] = ['contacts:read'],
): Promise<string[]> {
  const keys: string[] = [];
  for (let n = 0; n < count; n++) {
    const input = { name: `Key ${n}`, scopes, lifetime: 'never' };
    keys.push((await createApiKey(ctx, input)).key);
  }
  return keys;
}

/** In pages, because a statement may take 15 seconds. */
const CONTACTS_AT_ONCE = 5_000;

/** Contacts with the data that real ones have: a phone of their own, tags, custom fields. */
export async function someContacts(
  database: Database,
  organizationId: string,
  count: number,
): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId('con'));
  for (let from = 0; from < count; from += CONTACTS_AT_ONCE)
    await storeContacts(database, organizationId, ids.slice(from, from + CONTACTS_AT_ONCE), from);
  return ids;
}

/** @param from the first one's phone is `phoneOf(from)` */
async function storeContacts(
  database: Database,
  organizationId: string,
  ids: readonly string[],
  from: number,
): Promise<void> {
  const phones = ids.map((_, n) => parsePhone(phoneOf(from + n)));
  await inWorkspace(database, organizationId, (sql) =>
    sql.rows(
      `with people as (
         insert into contacts (organization_id, id, name, phone, phone_key, email, tags, custom, language,
           origin, created_via, created_at, updated_at)
         select $1, id, 'Person ' || n, phone, key, 'person' || n || '@example.com', '{customer,newsletter}',
           jsonb_build_object('city', 'São Paulo', 'orders', n), 'pt-BR', 'import', 'import', now(), now()
         from unnest($2::text[], $3::text[], $4::text[]) with ordinality as given (id, phone, key, n)
         returning id, phone)
       insert into contact_identities (organization_id, contact_id, type, value, is_primary, created_at)
       select $1, id, 'phone', phone, true, now() from people`,
      [organizationId, ids, phones.map((phone) => phone?.e164), phones.map((phone) => phone?.key)],
    ),
  );
}
