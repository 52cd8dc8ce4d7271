import { visibleNumbers } from '../access/visibility.ts';
import type { Context } from '../context.ts';
import { binding, first } from '../db/sql.ts';
import { AppError } from '../errors.ts';

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
