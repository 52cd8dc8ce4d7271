import type { Phone } from './phones.ts';
import type { ContactWriting } from './writing.ts';

const FIND = `
select g.e164, coalesce(
  (select i.contact_id from contact_identities i
   where i.organization_id = $1 and i.type = 'phone' and i.value in (g.e164, g.key)
   order by i.value = g.e164 desc limit 1),
  (select k.id from contacts k where k.organization_id = $1 and k.phone_key = g.key)) as id
from unnest($2::text[], $3::text[]) g (e164, key)`;

/** `findByPhone` for many. @returns the id of whoever has each phone in any spelling, by E.164 */
export async function findByPhones(
  { sql, organizationId }: ContactWriting,
  phones: readonly Phone[],
): Promise<ReadonlyMap<string, string>> {
  if (phones.length === 0) return new Map();
  const rows = await sql.rows<{ e164: string; id: string | null }>(
    FIND,
    [organizationId, phones.map(({ e164 }) => e164), phones.map(({ key }) => key)],
    'contacts-by-phones',
  );
  return new Map(rows.flatMap(({ e164, id }) => (id === null ? [] : [[e164, id] as const])));
}
