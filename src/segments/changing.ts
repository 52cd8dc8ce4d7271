import { requirePermission } from '../access/actor.ts';
import { changesBetween } from '../audit/rules.ts';
import { audit } from '../audit/service.ts';
import type { Context } from '../context.ts';
import { first } from '../db/sql.ts';
import { transact } from '../db/transact.ts';
import { notFound } from '../errors.ts';
import { canonicalJson } from '../http/body/json.ts';
import { guard } from '../http/guard.ts';
import { requireKnownIds } from './known-ids.ts';
import type { Rules } from './rules.ts';
import { newSegmentBody } from './schema.ts';
import { countNow } from './service.ts';

/**
 * Changes a segment's rules or name; everything that uses the segment follows the new rules from then on. The
 * specification has no such operation, so only the console offers it. Throws the same 422s as creating one.
 */
export const changeSegment = (ctx: Context, id: string, input: unknown): Promise<void> => {
  requirePermission(ctx.actor, 'contacts.write');
  const { name, rules } = guard(newSegmentBody, input);
  return transact(ctx, async (tx) => {
    const before = await lockSegment(tx, id);
    await requireKnownIds(tx, rules, { before: before.rules });
    const changes = changesBetween(
      { name: before.name, rules: canonicalJson(before.rules) },
      { name, rules: canonicalJson(rules) },
    );
    if (changes.length === 0) return;
    const count = await countNow(tx, rules);
    await requireKnownIds(tx, rules, { before: before.rules, kept: true });
    await tx.sql.rows(
      `update segments set name = $3, rules = $4, count = $5, counted_at = $6
       where organization_id = $1 and id = $2`,
      [tx.organizationId, id, name, JSON.stringify(rules), count, tx.now],
    );
    await audit(tx, {
      action: 'segment.updated',
      target: { type: 'segment', id, name },
      changes,
    });
  });
};

/** The segment as it is, which nobody else can change until the transaction ends. Throws 404. */
export async function lockSegment(
  tx: Context,
  id: string,
): Promise<{ readonly name: string; readonly rules: Rules }> {
  const found = await first<{ name: string; rules: Rules }>(
    tx.sql,
    'select name, rules from segments where organization_id = $1 and id = $2 for no key update',
    [tx.organizationId, id],
  );
  if (!found) throw notFound('segment');
  return found;
}
