import type { InWorkspace } from '../context.ts';
import { first } from '../db/sql.ts';
import type { PageRequest } from '../http/route.ts';
import { findContacts } from './finding.ts';
import { REACHED } from './reaching.ts';
import type { ContactFilters, ContactView } from './schema.ts';

type Times =
  | 'created_at'
  | 'opted_out_at'
  | 'last_inbound_at'
  | 'last_outbound_at'
  | 'window_expires_at'
  | 'updated_at';

/** A contact row: the API's view, with times as Dates. */
export type ContactRow = {
  readonly [K in keyof ContactView]: K extends Times ? AsDate<ContactView[K]> : ContactView[K];
};
type AsDate<T> = null extends T ? Date | null : Date;

const COLUMNS = `c.id, c.name, c.phone, c.email, c.opted_out, c.created_at, c.opted_out_at, c.opt_out_source, c.blocked,
  c.owner_id, c.tags, c.custom, c.birth_date, c.birth_year_known, c.language, c.time_zone, c.notes, c.origin, c.created_via,
  coalesce((select json_agg(json_build_object('type', i.type, 'value', i.value, 'number_id', i.number_id, 'primary', i.is_primary)
                            order by i.is_primary desc, i.created_at, i.value)
            from contact_identities i where i.organization_id = $1 and i.contact_id = c.id), '[]') as identities,
  case when t.reached then 'valid' else c.whatsapp_status end as whatsapp_status, c.last_inbound_at,
  greatest(c.last_outbound_at, t.last_outbound_at) as last_outbound_at, t.window_expires_at, c.updated_at`;

/** The few numbers that have a window, read once for a whole list. */
const WITH_WINDOW = 'select n.id from numbers n where n.organization_id = $1 and n.window_24h';

/** Contacts `c`, each with what its conversations say about it. */
const CONTACTS = `contacts c cross join lateral (
    select max(v.window_expires_at) filter (where v.number_id = any (array(${WITH_WINDOW}))) as window_expires_at,
      max(v.last_outbound_at) as last_outbound_at,
      bool_or(c.whatsapp_status = 'unknown' and ${REACHED}) as reached
    from conversations v where v.organization_id = $1 and v.contact_id = c.id) t`;

export const selectContact = ({ sql, organizationId }: InWorkspace, id: string) =>
  first<ContactRow>(
    sql,
    `select ${COLUMNS} from ${CONTACTS} where c.organization_id = $1 and c.id = $2`,
    [organizationId, id],
    'contact',
  );

/** Returns one row more than asked for if there is one, which shows that a next page exists. */
export async function selectContacts(
  ctx: InWorkspace,
  filters: ContactFilters,
  page: PageRequest,
): Promise<ContactRow[]> {
  if (Object.values(filters).every((value) => value === undefined)) return everybody(ctx, page);
  const ids = await findContacts(ctx, filters, page);
  if (ids.length === 0) return [];
  return ctx.sql.rows<ContactRow>(
    `select ${COLUMNS} from ${CONTACTS} where c.organization_id = $1 and c.id = any($2) order by c.id desc`,
    [ctx.organizationId, ids],
    'contacts-by-id',
  );
}

/** Without filters there are only two statements, so each connection prepares them once. */
function everybody(
  { sql, organizationId }: InWorkspace,
  { limit, after }: PageRequest,
): Promise<ContactRow[]> {
  const text = `select ${COLUMNS} from ${CONTACTS} where c.organization_id = $1${after ? ' and c.id < $3' : ''}
    order by c.id desc limit $2`;
  const params = [organizationId, limit + 1, ...(after ? [after.id] : [])];
  return sql.rows<ContactRow>(text, params, `contacts${after ? '-after' : ''}`);
}
