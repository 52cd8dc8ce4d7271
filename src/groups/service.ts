import { z } from 'zod';
import { audit } from '../audit/service.ts';
import type { Context } from '../context.ts';
import { advisoryLock } from '../db/advisory-locks.ts';
import { first } from '../db/sql.ts';
import { transact } from '../db/transact.ts';
import { AppError, notFound } from '../errors.ts';
import { STAMP_MS } from '../gateway/port.ts';
import { nameUpTo, shaped } from '../http/fields.ts';
import { guard } from '../http/guard.ts';
import { newId } from '../ids.ts';

/** A group that one of our numbers is in. */
export interface KnownGroup {
  readonly id: string;
  readonly conversationId: string;
}

export interface NewGroup {
  readonly numberId: string;
  /** WhatsApp's id of the group. */
  readonly providerId: string;
  /** "" if it is not known. */
  readonly name: string;
  readonly description?: string;
  /** How many others are in it. */
  readonly members?: number;
}

/**
 * The group with this WhatsApp id and its conversation; both are created if it is new. In the caller's transaction;
 * concurrent calls get the same group. A group that we had left counts as joined again if we were in it at `at`, later
 * than that: WhatsApp's news may come late, and twice.
 */
export async function findOrCreateGroup(
  tx: Context,
  group: NewGroup,
  at: Date,
): Promise<KnownGroup> {
  const { sql, organizationId, now } = tx;
  const space = JSON.stringify([organizationId, group.numberId, group.providerId]);
  await advisoryLock(sql, 'group', space);
  const known = await first<KnownGroup>(
    sql,
    `update groups set left_at = case when left_at >= $5 then left_at end,
       name = case when name = '' then $4 else name end
     where organization_id = $1 and number_id = $2 and provider_id = $3
     returning id, conversation_id as "conversationId"`,
    [
      organizationId,
      group.numberId,
      group.providerId,
      group.name,
      new Date(at.getTime() + STAMP_MS),
    ],
  );
  if (known) return known;
  const id = newId('grp');
  const conversationId = newId('cnv');
  await sql.rows(
    `insert into conversations (organization_id, id, number_id, group_id, assigned_team_id, opened_at, created_at, updated_at)
     select n.organization_id, $2, n.id, $4, n.default_team_id, $5, $5, $5
     from numbers n where n.organization_id = $1 and n.id = $3`,
    [organizationId, conversationId, group.numberId, id, now],
  );
  await sql.rows(
    `insert into groups (organization_id, id, name, description, members, number_id, conversation_id, provider_id, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      organizationId,
      id,
      group.name,
      group.description ?? '',
      group.members ?? 0,
      group.numberId,
      conversationId,
      group.providerId,
      now,
    ],
  );
  return { id, conversationId };
}

/**
 * A group's subject or description was changed in WhatsApp `at` that time: "" and null for what stayed. Late news of what
 * has changed again since is ignored, as is an unknown group.
 */
export async function describeGroup(
  { sql, organizationId }: Context,
  group: Pick<NewGroup, 'numberId' | 'providerId' | 'name'> & {
    readonly description: string | null;
  },
  at: Date,
): Promise<void> {
  const set = (column: string, since: string, value: string): Promise<unknown> =>
    sql.rows(
      `update groups set ${column} = $4, ${since} = $5
       where organization_id = $1 and number_id = $2 and provider_id = $3 and (${since} is null or ${since} <= $5)`,
      [organizationId, group.numberId, group.providerId, value, at],
    );
  if (group.name !== '') await set('name', 'named_at', group.name);
  if (group.description !== null) await set('description', 'described_at', group.description);
}

/** Characters of a group's name. */
export const MAX_NAME = 100;
const shape = z.strictObject({
  name: nameUpTo(MAX_NAME),
  provider_id: shaped(/^[A-Za-z0-9._@-]{1,100}$/, "Give WhatsApp's id of the group."),
  members: z.int().min(0).max(1_024).optional(),
});

/**
 * Adds a group by hand, for `wms group add`, or names one that only its messages told of. Throws 404 for another
 * workspace's number, 422, 409 `duplicate`.
 */
export const addGroup = (ctx: Context, input: NewGroup): Promise<KnownGroup> =>
  transact(ctx, async (tx) => {
    const { sql, organizationId } = tx;
    const { name } = guard(shape, {
      name: input.name,
      provider_id: input.providerId,
      members: input.members,
    });
    const number = await first(
      sql,
      'select 1 from numbers where organization_id = $1 and id = $2 for key share',
      [organizationId, input.numberId],
    );
    if (!number) throw notFound('number');
    const taken = await first(
      sql,
      `select 1 from groups
       where organization_id = $1 and number_id = $2 and provider_id = $3 and left_at is null and name <> ''`,
      [organizationId, input.numberId, input.providerId],
    );
    if (taken) throw new AppError('duplicate', 'The number is in this group already.');
    const group = await findOrCreateGroup(tx, { ...input, name }, tx.now);
    // One that we had left or that had no name is told of anew; what is left out stays.
    await sql.rows(
      `update groups set name = $3, description = coalesce($4, description), members = coalesce($5, members)
       where organization_id = $1 and id = $2`,
      [organizationId, group.id, name, input.description ?? null, input.members ?? null],
    );
    await audit(tx, {
      action: 'group.added',
      target: { type: 'group', id: group.id, name },
    });
    return group;
  });
