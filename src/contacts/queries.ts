import type { ReadContext } from '../context.ts';
import { first } from '../db/sql.ts';
import type { PageRequest } from '../http/route.ts';
import { parsePhone } from './phones.ts';
import type { ContactFilters, ContactView } from './schema.ts';

type Times =
  | 'created_at'
  | 'opted_out_at'
  | 'last_inbound_at'
  | 'last_outbound_at'
  | 'window_expires_at'
  | 'updated_at';

/** A contact as PostgreSQL gives it: the view, with times as Dates. */
export type ContactRow = {
  readonly [K in keyof ContactView]: K extends Times ? AsDate<ContactView[K]> : ContactView[K];
};
type AsDate<T> = null extends T ? Date | null : Date;

type InWorkspace = Pick<ReadContext, 'sql' | 'organizationId'>;

const COLUMNS = `c.id, c.name, c.phone, c.email, c.opted_out, c.created_at, c.opted_out_at, c.opt_out_source, c.blocked,
  c.owner_id, c.tags, c.custom, c.birth_date, c.birth_year_known, c.language, c.time_zone, c.notes, c.origin, c.created_via,
  coalesce((select json_agg(json_build_object('type', i.type, 'value', i.value, 'number_id', i.number_id, 'primary', i.is_primary)
                            order by i.is_primary desc, i.created_at, i.value)
            from contact_identities i where i.organization_id = $1 and i.contact_id = c.id), '[]') as identities,
  c.whatsapp_status, c.last_inbound_at, c.last_outbound_at,
  (select max(v.window_expires_at) from conversations v where v.organization_id = $1 and v.contact_id = c.id) as window_expires_at,
  c.updated_at`;

export const selectContact = ({ sql, organizationId }: InWorkspace, id: string) =>
  first<ContactRow>(
    sql,
    `select ${COLUMNS} from contacts c where c.organization_id = $1 and c.id = $2`,
    [organizationId, id],
    'contact',
  );

/** One row more than asked for, when there is one: it says that a next page exists. */
export function selectContacts(
  { sql, organizationId }: InWorkspace,
  filters: ContactFilters,
  page: PageRequest,
): Promise<ContactRow[]> {
  const params: unknown[] = [organizationId, page.limit + 1];
  const bound = (value: unknown): string => `$${params.push(value)}`;
  const conditions = ['c.organization_id = $1', ...conditionsOf(filters, bound)];
  // Without filters there are two texts only, so that each connection prepares them once.
  const name = conditions.length > 1 ? undefined : `contacts${page.after ? '-after' : ''}`;
  if (page.after) conditions.push(`c.id < ${bound(page.after.id)}`);
  const text = `select ${COLUMNS} from contacts c where ${conditions.join(' and ')} order by c.id desc limit $2`;
  return sql.rows<ContactRow>(text, params, name);
}

function conditionsOf(filters: ContactFilters, bound: (value: unknown) => string): string[] {
  const conditions: string[] = [];
  const where = (value: unknown, condition: (place: string) => string): void => {
    if (value !== undefined) conditions.push(condition(bound(value)));
  };
  const part = filters.q === undefined ? undefined : `%${likeLiteral(filters.q)}%`;
  where(part, (p) => `(c.name ilike ${p} or c.email ilike ${p} or c.phone like ${p})`);
  where(filters.phone && parsePhone(filters.phone)?.key, (p) => `c.phone_key = ${p}`);
  where(filters.email, (p) => `c.email_key = lower(${p})`);
  where(filters.tag, (p) => `exists (select from unnest(c.tags) t where lower(t) = lower(${p}))`);
  where(filters.owner_id, (p) => `c.owner_id = ${p}`);
  where(filters.opted_out, (p) => `c.opted_out = ${p}`);
  where(filters.origin, (p) => `c.origin = ${p}`);
  where(filters.updated_since, (p) => `c.updated_at >= ${p}`);
  return conditions;
}

/** The text itself, where `%`, `_` and `\` would be patterns. */
const likeLiteral = (text: string): string => text.replace(/[\\%_]/g, '\\$&');
