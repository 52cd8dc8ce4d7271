import { parsePhone } from '../contacts/identity/phones.ts';
import { tagOf } from '../contacts/rules.ts';
import type { Bind } from '../db/sql.ts';
import { WINDOW_MARGIN_MS } from '../numbers/rules.ts';
import type { Moment } from './moments.ts';
import { type FieldName, type Op, WHOLE_PHONE } from './rules.ts';
import { seenIn } from './visibility.ts';

/** Where a field's values are stored. */
export interface Source {
  /** SQL of one value: a column of `c`, or of the relation. */
  readonly expression: string;
  /**
   * `<table> r where r.… = c.…`: the rows with the contact's values. Without it, the expression itself is the only
   * value.
   */
  readonly relation?: string;
  /** Compared case-insensitively; what is `stored` in lower case is found by its index. */
  readonly folded?: 'compared' | 'stored';
  /** Turns a whole value into the key it is looked up by. */
  readonly keyOf?: (value: string) => string;
}

const ofContact = (table: string): string =>
  `${table} r where r.organization_id = c.organization_id and r.contact_id = c.id`;

/** There is a partial index on these columns with exactly this condition. */
const REACHED = `${ofContact('campaign_recipients')} and r.status in ('sent', 'delivered', 'read')`;

/** Whether there is a window at all is up to the number. */
const WITH_NUMBERS = `${ofContact('numbers n, conversations')} and n.organization_id = r.organization_id and n.id = r.number_id`;

const text = (expression: string): Source => ({ expression, folded: 'compared' });
const related = (table: string, column: string): Source => ({
  expression: `r.${column}`,
  relation: ofContact(table),
});

const SOURCES: Readonly<Record<Exclude<FieldName, 'window_open'>, Source>> = {
  name: text('c.name'),
  phone: text('c.phone'),
  email: text('c.email'),
  language: text('c.language'),
  opted_out: { expression: 'c.opted_out' },
  tag: {
    ...related('contact_tags', 'tag_key'),
    folded: 'stored',
    keyOf: tagOf,
  },
  owner_id: { expression: 'c.owner_id' },
  origin: { expression: 'c.origin' },
  created_at: { expression: 'c.created_at' },
  last_inbound_at: { expression: 'c.last_inbound_at' },
  last_outbound_at: {
    expression: `greatest(c.last_outbound_at, (select max(r.last_outbound_at) from ${ofContact('conversations')}))`,
  },
  birth_date: { expression: 'c.birth_date' },
  number_id: related('conversations', 'number_id'),
  team_id: related('conversations', 'assigned_team_id'),
  'conversation.status': related('conversations', 'status'),
  stage: related('deals', 'stage_id'),
  pipeline: related('deals', 'pipeline_id'),
  'deal.status': related('deals', 'status'),
  'deal.value_cents': related('deals', 'value_cents'),
  'campaign.received': { expression: 'r.campaign_id', relation: REACHED },
  'campaign.replied': {
    expression: 'r.campaign_id',
    relation: `${REACHED} and r.replied_at is not null`,
  },
  'form.submitted': related('form_submissions', 'form_id'),
  'automation.run': related('automation_runs', 'automation_id'),
};

const isStored = (field: string): field is keyof typeof SOURCES => Object.hasOwn(SOURCES, field);

const PHONE_KEY: Source = {
  expression: 'c.phone_key',
  // Older rules were not asked whether their phones can be read; nobody has one that cannot.
  keyOf: (value) => parsePhone(value)?.key ?? value,
};

/** Where the values of a field are, in SQL; `bind` turns a value into a parameter. */
export function sourceOf(field: string, op: Op, bind: Bind, moment: Moment): Source {
  const source = storedIn(field, op, bind, moment);
  const seen = moment.seenBy ? seenIn(field, moment.seenBy, bind) : 'true';
  return seen === 'true' ? source : { ...source, relation: `${source.relation} and ${seen}` };
}

function storedIn(field: string, op: Op, bind: Bind, { now }: Moment): Source {
  if (field === 'phone' && WHOLE_PHONE.has(op)) return PHONE_KEY;
  if (field === 'window_open') {
    const until = bind(new Date(now.getTime() + WINDOW_MARGIN_MS));
    return {
      expression: `not n.window_24h or r.window_expires_at > ${until}::timestamptz`,
      relation: WITH_NUMBERS,
    };
  }
  if (isStored(field)) return SOURCES[field];
  // A custom field holds a single value or a list; both become a set of texts.
  const value = `c.custom -> ${bind(field.slice('custom.'.length))}::text`;
  const list = `case jsonb_typeof(${value}) when 'array' then ${value} else jsonb_build_array(${value}) end`;
  return {
    expression: 'r.value',
    relation: `jsonb_array_elements_text(${list}) r where true`,
    folded: 'compared',
  };
}

/** The number in a text, in SQL; null if it is none. Columns of a file are texts. */
export const asNumber = (expression: string): string =>
  `case when ${expression} ~ '^-?[0-9]{1,20}([.][0-9]{1,40})?$' then ${expression}::numeric end`;

/** The day at the start of a text, in SQL; null if there is none. */
export const asDay = (expression: string): string =>
  `case when ${expression} ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}' and pg_input_is_valid(left(${expression}, 10), 'date')
     then left(${expression}, 10)::date end`;
