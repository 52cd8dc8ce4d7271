import { inWorkspace, sqlOver } from '../../db/database.ts';
import { first } from '../../db/sql.ts';
import type { Start } from '../../relay/reactions.ts';
import { deliveryId } from '../../webhooks/lanes/rows.ts';
import { CommandError } from '../output.ts';
import type { Session } from '../session.ts';
import { workspaceHaving } from '../workspace-having.ts';
import { type Found, KINDS, type Kind } from './kinds.ts';

/** What a row says about its workflow. */
export interface Row extends Found {
  readonly kind: Kind;
  readonly id: string;
  readonly organizationId: string;
  /** How its workflow starts. */
  readonly start: Start;
}

const DELIVERY = `select id from webhook_deliveries where id = ${deliveryId('$2', '$1')}`;

/**
 * Finds a record by its id, or by its workflow's id as the Temporal UI shows it.
 *
 * @throws CommandError if such ids have no workflows, or there is no such record
 */
export async function findRow(session: Session, given: string): Promise<Row> {
  const sql = sqlOver(session.database.system);
  const [head, ...rest] = given.split(':');
  let id = rest.at(-1) ?? given;
  if (head === 'delivery' && rest.length === 2) {
    const delivery = await first<{ id: string }>(sql, DELIVERY, rest);
    if (!delivery)
      throw new CommandError(`There is no delivery of ${rest[1]} to ${rest[0]} in the database.`);
    id = delivery.id;
  }
  const known = KINDS.find(({ prefix }) => id.startsWith(`${prefix}_`));
  if (!known) throw new CommandError(unknown(given));
  const organizationId = await workspaceHaving(session, known.table, id);
  const found =
    organizationId &&
    (await inWorkspace(session.database, organizationId, (own) =>
      first<Found>(own, known.query, [organizationId, id]),
    ));
  if (!organizationId || !found)
    throw new CommandError(`There is no ${known.kind} ${id} in the database.`);
  return {
    ...found,
    kind: known,
    id,
    organizationId,
    start: known.start(organizationId, id, found),
  };
}

const unknown = (given: string): string =>
  `Nothing runs by itself for ${given}: workflows belong to things of the kinds ${KINDS.map(({ kind, prefix }) => `${kind} (${prefix}_…)`).join(', ')}; Schedules are named upkeep:….`;
