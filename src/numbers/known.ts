import { LockMode } from '@mikro-orm/postgresql';
import { visibleNumbers } from '../access/visibility.ts';
import type { Context, InWorkspace } from '../context.ts';
import { binding, first } from '../db/sql.ts';
import { AppError, notFound } from '../errors.ts';
import { WhatsAppNumber } from './entities.ts';

/** A number that the caller cannot see is refused like one that does not exist: 422 `unknown_number`. */
export async function requireNumber(tx: Context, numberId: string): Promise<void> {
  const { params, bind } = binding(tx.organizationId, numberId);
  const visible = visibleNumbers(tx.actor, 'n', bind);
  const known = await first(
    tx.sql,
    `select 1 from numbers n where n.organization_id = $1 and n.id = $2 and ${visible}`,
    params,
  );
  if (known) return;
  throw new AppError('unknown_number', 'There is no such number.', { number_id: numberId });
}

/** Nobody changes the number meanwhile. Call it before its health is noted, as whoever connects it has the two. */
export const pinNumber = ({ sql, organizationId }: InWorkspace, id: string): Promise<unknown> =>
  sql.rows('select from numbers where organization_id = $1 and id = $2 for no key update', [
    organizationId,
    id,
  ]);

/** For a change, which others wait for. Throws 404. */
export async function lockNumber(tx: Context, id: string): Promise<WhatsAppNumber> {
  const lock = { lockMode: LockMode.PESSIMISTIC_WRITE };
  const number = await tx.em.findOne(WhatsAppNumber, { id }, lock);
  if (!number) throw notFound('number');
  return number;
}
