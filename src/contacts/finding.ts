import type { InWorkspace } from '../context.ts';
import { first, oneByOne } from '../db/sql.ts';
import type { PageRequest } from '../http/route.ts';
import { findByPhone } from './identity/identities.ts';
import { countryOf, readLocalPhone } from './identity/local-phones.ts';
import { parsePhone, withoutMarks } from './identity/phones.ts';
import type { ContactFilters } from './schema.ts';

/** How many of the newest contacts are checked one by one before a filter's index is used. */
const WALKED = 2_000;
/** A text or tag that at most this many contacts have is looked up first; the other filters are then applied by id. */
const FEW = 2_000;
/** Greater than every contact's id. */
const AFTER_ALL = 'd';

interface Conditions {
  readonly texts: readonly string[];
  readonly params: readonly unknown[];
}

/**
 * Ids of one page of contacts and of one more, newest first. It stays fast at any size of the workspace and for any
 * filter, including one that matches no one. A filter for a single value is read from an index in the order of the
 * page. Otherwise common matches are found among the newest contacts, and rare ones through the filter's own index;
 * the whole workspace is never scanned.
 */
export async function findContacts(
  ctx: InWorkspace,
  { phone, ...filters }: ContactFilters,
  page: PageRequest,
): Promise<string[]> {
  if (phone === undefined) return matching(ctx, filters, page);
  // Any of a contact's phones, in any spelling.
  const owner = await findByPhone(ctx, parsePhone(phone)?.e164 ?? phone);
  return owner ? matching(ctx, { ...filters, id: owner.id }, page) : [];
}

type Filters = Omit<ContactFilters, 'phone'> & { readonly id?: string };

async function matching(
  ctx: InWorkspace,
  { q, tag, ...filters }: Filters,
  page: PageRequest,
): Promise<string[]> {
  const plain = conditionsOf(ctx.organizationId, filters);
  if (q === undefined && tag !== undefined && plain.texts.length === 0)
    return taggedWith(ctx, tag, page);
  const conditions = tag === undefined ? plain : await andTagged(ctx, plain, tag);
  if (q === undefined) {
    return conditions.texts.length === 1 && filters.updated_since === undefined
      ? idsInOrder(ctx, conditions, page)
      : idsOf(ctx, conditions, page);
  }
  const most = conditions.texts.length === 0 ? page.limit + 1 : FEW + 1;
  const found = await search(ctx, q, page.after?.id ?? null, most);
  if (conditions.texts.length === 0) return found;
  const both =
    found.length <= FEW ? and(conditions, isOneOf, found) : and(conditions, contains, needleOf(q));
  return found.length === 0 ? [] : idsOf(ctx, both, page);
}

const isOneOf = (place: string): string => `c.id = any(${place}::text[])`;

const contains = (place: string): string =>
  oneByOne(`exists (select from contact_search s where s.organization_id = c.organization_id and s.contact_id = c.id
     and s.doc like any (wms.needle_patterns(wms.plain(${place}))))`);

/** Few contacts with the tag are looked up first; among many, those that pass the other filters are asked for it. */
async function andTagged(
  ctx: InWorkspace,
  conditions: Conditions,
  tag: string,
): Promise<Conditions> {
  const found = await taggedWith(ctx, tag, { limit: FEW, after: null });
  return found.length <= FEW ? and(conditions, isOneOf, found) : and(conditions, isTagged, tag);
}

const isTagged = (place: string): string =>
  oneByOne(`exists (select from contact_tags t where t.organization_id = c.organization_id and t.contact_id = c.id
     and t.tag_key = lower(${place}))`);

const PHONE = /^[+\d\s().\p{Pd}]*\d[\d\s().\p{Pd}]{3,}$/u;

const isPhone = (q: string): boolean => PHONE.test(withoutMarks(q));

/** A phone is looked for by its digits, however it is written. */
const needleOf = (q: string): string => (isPhone(q) ? q.replace(/[^\d+]/g, '') : q);

const SEARCH = `
select array(select id from wms.find_contacts(wms.plain($2), $3, $4) id order by id desc) as ids, language
from workspaces where organization_id = $1`;

/**
 * Ids of those whom the text is part of, newest first. Who has the phone that it is stands among them, even if theirs is
 * spelled another way there, or is another phone of theirs.
 */
async function search(
  ctx: InWorkspace,
  q: string,
  before: string | null,
  most: number,
): Promise<string[]> {
  const found = await first<{ ids: string[]; language: string }>(
    ctx.sql,
    SEARCH,
    [ctx.organizationId, needleOf(q), before, most],
    'contacts-search',
  );
  if (!found) return [];
  const { ids, language } = found;
  const phone = isPhone(q) ? readLocalPhone(q, countryOf(language)) : null;
  const owner = phone && (await findByPhone(ctx, phone.e164));
  if (!owner || owner.id >= (before ?? AFTER_ALL) || ids.includes(owner.id)) return ids;
  return [...ids, owner.id].toSorted().toReversed().slice(0, most);
}

/** Reads an index on the filter's value followed by the id. */
async function idsInOrder(
  ctx: InWorkspace,
  conditions: Conditions,
  page: PageRequest,
): Promise<string[]> {
  const { texts, params } = page.after
    ? and(conditions, (place) => `c.id < ${place}`, page.after.id)
    : conditions;
  const rows = await ctx.sql.rows<{ id: string }>(
    `select c.id from contacts c where c.organization_id = $1 and ${texts.join(' and ')}
     order by c.id desc limit ${page.limit + 1}`,
    params,
  );
  return rows.map(({ id }) => id);
}

/** Read from the tags alone, in the page's order, whatever the statistics say of the workspace. */
async function taggedWith(
  { sql, organizationId }: InWorkspace,
  tag: string,
  page: PageRequest,
): Promise<string[]> {
  const rows = await sql.rows<{ id: string }>(
    `select t.contact_id as id from contact_tags t
     where t.organization_id = $1 and t.tag_key = lower($2) and t.contact_id < $3
     order by t.contact_id desc limit ${page.limit + 1}`,
    [organizationId, tag, page.after?.id ?? AFTER_ALL],
  );
  return rows.map(({ id }) => id);
}

async function idsOf(
  ctx: InWorkspace,
  conditions: Conditions,
  page: PageRequest,
): Promise<string[]> {
  const { texts, params } = and(
    conditions,
    (place) => `c.id < ${place}`,
    page.after?.id ?? AFTER_ALL,
  );
  const [before = '', ...others] = texts.toReversed();
  const wanted = page.limit + 1;
  const newest = await ctx.sql.rows<{ id: string }>(
    `select c.id from (
       select c.* from contacts c where c.organization_id = $1 and ${before} order by c.id desc limit ${WALKED}) c
     where ${others.join(' and ')} order by c.id desc limit ${wanted}`,
    params,
  );
  if (newest.length === wanted) return newest.map(({ id }) => id);
  // The order is hidden from the planner, which would otherwise walk all contacts in that order hoping for early
  // matches.
  const rows = await ctx.sql.rows<{ id: string }>(
    `select c.id from contacts c where c.organization_id = $1 and ${before} and ${others.join(' and ')}
     order by c.id || '' desc limit ${wanted}`,
    params,
  );
  return rows.map(({ id }) => id);
}

const and = (
  { texts, params }: Conditions,
  condition: (place: string) => string,
  value: unknown,
): Conditions => ({
  texts: [...texts, condition(`$${params.length + 1}`)],
  params: [...params, value],
});

/** Equality and ranges only: under row level security no other condition can use an index. */
function conditionsOf(organizationId: string, filters: Omit<Filters, 'q' | 'tag'>): Conditions {
  let conditions: Conditions = { texts: [], params: [organizationId] };
  const where = (value: unknown, condition: (place: string) => string): void => {
    if (value !== undefined) conditions = and(conditions, condition, value);
  };
  where(filters.id, (p) => `c.id = ${p}`);
  where(filters.email, (p) => `c.email_key = lower(${p})`);
  where(filters.owner_id, (p) => `c.owner_id = ${p}`);
  where(filters.opted_out, (p) => `c.opted_out = ${p}`);
  where(filters.origin, (p) => `c.origin = ${p}`);
  where(filters.updated_since, (p) => `c.updated_at >= ${p}`);
  return conditions;
}
