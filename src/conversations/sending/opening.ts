import type { Context } from '../../context.ts';
import { notFound } from '../../errors.ts';
import { newId } from '../../ids.ts';

/** A number and a contact it writes to. */
export interface Pair {
  readonly numberId: string;
  readonly contactId: string;
}

// The update changes nothing: it makes the statement return existing rows, and wait for those being created right now.
const OPEN = `
insert into conversations (organization_id, id, number_id, contact_id, assigned_team_id, opened_at, created_at, updated_at)
select n.organization_id, g.id, n.id, g.contact_id, n.default_team_id, $5, $5, $5
from unnest($2::text[], $3::text[], $4::text[]) g (id, number_id, contact_id)
join numbers n on n.organization_id = $1 and n.id = g.number_id
order by g.contact_id, g.number_id
on conflict (organization_id, number_id, contact_id) do update set number_id = excluded.number_id
returning id, number_id as "numberId", contact_id as "contactId"`;

/** A number and a contact as the key of a map. */
export const pairKey = ({ numberId, contactId }: Pair): string => `${numberId} ${contactId}`;

/**
 * The conversations of numbers and contacts, created where there are none, in the caller's transaction. A new one goes
 * to the number's default team.
 *
 * @returns the conversation of each pair, by `pairKey`
 */
export async function openConversations(
  tx: Context,
  pairs: readonly Pair[],
): Promise<ReadonlyMap<string, string>> {
  const wanted = [...new Map(pairs.map((pair) => [pairKey(pair), pair])).values()];
  if (wanted.length === 0) return new Map();
  const rows = await tx.sql.rows<Pair & { readonly id: string }>(
    OPEN,
    [
      tx.organizationId,
      wanted.map(() => newId('cnv')),
      wanted.map(({ numberId }) => numberId),
      wanted.map(({ contactId }) => contactId),
      tx.now,
    ],
    'open-conversations',
  );
  return new Map(rows.map((row) => [pairKey(row), row.id]));
}

/** `openConversations` for one. */
export async function openConversation(tx: Context, pair: Pair): Promise<string> {
  const id = (await openConversations(tx, [pair])).get(pairKey(pair));
  if (id === undefined) throw notFound('number');
  return id;
}
