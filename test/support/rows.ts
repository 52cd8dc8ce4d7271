import type { Context } from '../../src/context.ts';
import type { Sql } from '../../src/db/sql.ts';
import { type IdPrefix, newId } from '../../src/ids.ts';

/** A workspace that holds one of everything, under names that every other one uses too. */
export interface FullWorkspace {
  readonly ctx: Context;
  readonly key: string;
  /** An Owner's, through an app: for what no key may do. */
  readonly token: string;
  /** One record of each kind, by the prefix of its id. */
  readonly ids: Readonly<Partial<Record<IdPrefix, string>>>;
}

/** How more rows of a list are made: copies of the one that a full workspace has. */
export interface RowMaker {
  readonly table: string;
  readonly prefix: IdPrefix;
  /** What tells its rows apart, where it is no id. */
  readonly key?: string;
  /** What its items call that, where they call it otherwise. */
  readonly shown?: string;
  /** A list that begins with the first. */
  readonly upwards?: true;
  /** A key of its own kind, where it is no id. */
  readonly next?: () => string;
  /** Columns that must differ in a copy. */
  readonly vary?: (id: string) => Readonly<Record<string, unknown>>;
  /** Makes the first row, for tables of which a full workspace has none. */
  readonly first?: (ids: FullWorkspace['ids'], id: string) => [text: string, ...params: unknown[]];
}

const named = (id: string) => ({ name: id });

let moments = 0;
const nextMoment = (): string => new Date(Date.UTC(2026, 0, 1, 0, moments++)).toISOString();

/** Of one length, so that they sort as texts like the numbers they are. */
let lines = 100_000;
const nextLine = (): string => String(lines++);

/** By the path of the list. */
const ROW_MAKERS: Readonly<Record<string, RowMaker>> = {
  '/v1/automations': { table: 'automations', prefix: 'atm', vary: named },
  '/v1/automations/:id/runs': {
    table: 'automation_runs',
    prefix: 'run',
    // A contact has one run of an automation at a time.
    vary: () => ({ contact_id: null }),
  },
  '/v1/campaigns': { table: 'campaigns', prefix: 'cmp' },
  '/v1/campaigns/:id/recipients': {
    table: 'campaign_recipients',
    prefix: 'rcp',
    vary: (id) => ({ identity_key: id }),
    first: ({ cmp }, id) => [
      `insert into campaign_recipients (organization_id, campaign_id, id, identity_key, phone, text)
       select wms.organization(), $1, $2, $2, '+5511987654321', 'Oi'`,
      cmp,
      id,
    ],
  },
  '/v1/contacts': { table: 'contacts', prefix: 'con', vary: (id) => ({ phone_key: id }) },
  '/v1/contacts/imports': { table: 'contact_imports', prefix: 'imp' },
  '/v1/contacts/imports/:id/rows': {
    table: 'contact_import_rows',
    prefix: 'imp',
    key: 'line',
    upwards: true,
    next: nextLine,
    first: ({ imp }, line) => [
      `with others as (delete from contact_import_rows)
       insert into contact_import_rows (organization_id, import_id, line, fields)
       select wms.organization(), $1, $2::int, '{}'`,
      imp,
      line,
    ],
  },
  '/v1/conversations': {
    table: 'conversations',
    prefix: 'cnv',
    // One number has one conversation with a contact; groups need no row here.
    vary: (id) => ({ contact_id: null, group_id: id }),
  },
  '/v1/conversations/:id/activities': {
    table: 'conversation_activities',
    prefix: 'act',
    first: ({ cnv }, id) => [
      `insert into conversation_activities (organization_id, id, conversation_id, type, actor, created_at)
       select wms.organization(), $2, $1, 'transferred', '{"type":"system","id":null,"name":"test"}', now()`,
      cnv,
      id,
    ],
  },
  '/v1/conversations/:id/messages': { table: 'messages', prefix: 'msg' },
  '/v1/forms': { table: 'forms', prefix: 'frm' },
  '/v1/forms/:id/submissions': {
    table: 'form_submissions',
    prefix: 'sub',
    vary: (id) => ({ token_hash: `\\x${Buffer.from(id).toString('hex')}` }),
    first: ({ frm }, id) => [
      `insert into form_submissions (organization_id, id, form_id, form_version, answers, outcome, token_hash, created_at)
       select wms.organization(), $2, $1, 1, '{}', 'contact_created', '\\x00', now()`,
      frm,
      id,
    ],
  },
  '/v1/groups': { table: 'groups', prefix: 'grp', vary: (id) => ({ provider_id: id }) },
  '/v1/members': { table: 'members', prefix: 'mem', vary: (id) => ({ email: id }) },
  '/v1/numbers': { table: 'numbers', prefix: 'num', vary: () => ({ phone_number_id: null }) },
  '/v1/pipelines': { table: 'pipelines', prefix: 'pip', vary: named },
  '/v1/pipelines/:id/deals': { table: 'deals', prefix: 'dea' },
  '/v1/reminders': { table: 'reminders', prefix: 'rem' },
  '/v1/reminders/:id/runs': {
    table: 'reminder_runs',
    prefix: 'rrn',
    vary: () => ({ scheduled_for: nextMoment() }),
  },
  '/v1/reminders/:id/runs/:run_id/recipients': {
    table: 'reminder_recipients',
    prefix: 'con',
    key: 'recipient_key',
    shown: 'contact_id',
    vary: (id) => ({ contact_id: id }),
  },
  '/v1/segments': { table: 'segments', prefix: 'seg', vary: named },
  '/v1/segments/:id/contacts': {
    table: 'contacts',
    prefix: 'con',
    vary: (id) => ({ phone_key: id }),
  },
  '/v1/teams': { table: 'teams', prefix: 'team', vary: named },
  '/v1/templates': {
    table: 'templates',
    prefix: 'act',
    key: 'name',
    upwards: true,
    first: ({ num }, name) => [
      `insert into templates (organization_id, number_id, name, language, category, status, components, synced_at)
       select wms.organization(), $1, $2, 'pt_BR', 'UTILITY', 'APPROVED', '[]', now()`,
      num,
      name,
    ],
  },
  '/v1/webhooks/:id/deliveries': {
    table: 'webhook_deliveries',
    prefix: 'dlv',
    // An endpoint gets an event once.
    vary: (id) => ({ event_id: id }),
  },
  '/v1/webhooks': { table: 'webhook_endpoints', prefix: 'whk' },
};

export function rowMaker({ path }: { readonly path: string }): RowMaker {
  const maker = ROW_MAKERS[path];
  if (!maker) throw new TypeError(`test/support/rows.ts does not know how to fill ${path}`);
  return maker;
}

/** The same by what its rows are: of records that have an id. */
export function recordMaker(prefix: IdPrefix): RowMaker {
  const maker = Object.values(ROW_MAKERS).find((each) => each.prefix === prefix && !each.key);
  if (!maker) throw new TypeError(`test/support/rows.ts does not know how to make a ${prefix}_`);
  return maker;
}

/** The row that others are copies of, made where a full workspace has none. */
export async function firstRow(
  sql: Sql,
  { prefix, next, first }: RowMaker,
  ids: FullWorkspace['ids'],
): Promise<string> {
  const id = next?.() ?? ids[prefix] ?? newId(prefix);
  const made = first?.(ids, id);
  if (made) await sql.rows(made[0], made.slice(1));
  return id;
}

/** Copies a row under this id; `more` wins over what must differ anyway. */
export async function copyRow(
  sql: Sql,
  { table, vary, key = 'id' }: RowMaker,
  from: string,
  id: string,
  more: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const columns = await sql.rows<{ name: string }>(
    `select quote_ident(column_name) as name from information_schema.columns
     where table_schema = 'public' and table_name = $1 and is_generated = 'NEVER'`,
    [table],
  );
  const names = columns.map(({ name }) => name).join(', ');
  await sql.rows(
    `insert into ${table} (${names}) select ${names} from jsonb_populate_record(null::${table},
       (select to_jsonb(t) from ${table} t where t.${key}::text = $1) || $2::jsonb)`,
    [from, JSON.stringify({ ...vary?.(id), ...more, [key]: id })],
  );
}
