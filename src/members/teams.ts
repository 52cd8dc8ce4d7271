import { audit } from '../audit/service.ts';
import type { Context } from '../context.ts';
import { newId } from '../ids.ts';

interface TeamRow {
  readonly id: string;
  readonly name: string;
}

/** The ids of the teams of these names, which are compared without case; missing ones are created. */
export async function findOrCreateTeams(tx: Context, names: readonly string[]): Promise<string[]> {
  // The last entry of a key stays in a Map, and the first spelling is the one to keep.
  const byKey = new Map(names.toReversed().map((name) => [name.toLowerCase(), name]));
  const wanted = [...byKey.values()];
  if (wanted.length === 0) return [];
  const created = await tx.sql.rows<TeamRow>(
    `insert into teams (organization_id, id, name, created_at)
     select $1, t.id, t.name, $4 from unnest($2::text[], $3::text[]) t (id, name)
     on conflict (organization_id, lower(name)) do nothing returning id, name`,
    [tx.organizationId, wanted.map(() => newId('team')), wanted, tx.now],
  );
  for (const team of created) {
    await audit(tx, { action: 'team.created', target: { type: 'team', ...team } });
  }
  const teams = await tx.sql.rows<TeamRow>(
    'select id, name from teams where organization_id = $1 and lower(name) = any($2::text[])',
    [tx.organizationId, wanted.map((name) => name.toLowerCase())],
  );
  return teams.map((team) => team.id);
}
