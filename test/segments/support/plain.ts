import { phoneKey } from '../../../src/contacts/identity/phones.ts';
import type { Condition, Rules } from '../../../src/segments/rules.ts';
import type { Person, World } from './people.ts';

/** What rules say of a person, without a database and without the code under test. Days are UTC's. */
export function matches(rules: Rules, person: Person, world: World, now: Date): boolean {
  const one = (each: Rules): boolean => matches(each, person, world, now);
  if ('all' in rules) return rules.all.every(one);
  if ('any' in rules) return rules.any.some(one);
  if ('not' in rules) return !one(rules.not);
  return holds(rules, person, world, now);
}

type Values = readonly unknown[];

function valuesOf(field: string, p: Person, world: World, now: Date): Values {
  if (field.startsWith('custom.')) return customValues(p.custom[field.slice('custom.'.length)]);
  const values: Record<string, () => Values> = {
    name: () => [p.name],
    phone: () => [p.phone],
    email: () => [p.email],
    language: () => [p.language],
    opted_out: () => [p.optedOut],
    tag: () => p.tags,
    owner_id: () => [p.ownerId],
    origin: () => [p.origin],
    created_at: () => [p.createdAt],
    last_inbound_at: () => [p.lastInboundAt],
    birth_date: () => [p.birthDate],
    number_id: () => p.conversations.map(({ numberId }) => numberId),
    team_id: () => p.conversations.map(({ teamId }) => teamId),
    'conversation.status': () => p.conversations.map(({ status }) => status),
    window_open: () => [
      p.conversations.some(
        ({ numberId, windowExpiresAt: at }) =>
          numberId === world.windowless || (at && new Date(at).getTime() - 120_000 > now.getTime()),
      ),
    ],
    stage: () => p.deals.map(({ stage }) => world.stages[stage]),
    pipeline: () => p.deals.map(() => world.pipelineId),
    'deal.status': () => p.deals.map(({ status }) => status),
    'deal.value_cents': () => p.deals.map(({ valueCents }) => valueCents),
    'campaign.received': () => p.campaigns.map(({ campaignId }) => campaignId),
    'campaign.replied': () =>
      p.campaigns.flatMap(({ campaignId, replied }) => (replied ? [campaignId] : [])),
  };
  const found = values[field];
  if (!found) throw new TypeError(`${field} is not part of the test`);
  return found().filter((value) => value !== null && value !== undefined);
}

const customValues = (value: unknown): Values =>
  (Array.isArray(value) ? value : [value]).filter((each) => each !== null && each !== undefined);

const fold = (value: unknown): string => String(value).toLowerCase();

function holds({ field, op, value }: Condition, p: Person, world: World, now: Date): boolean {
  const values = valuesOf(field, p, world, now);
  const some = (test: (each: unknown) => boolean): boolean => values.some(test);
  const is = (wanted: unknown) => (each: unknown) => equals(field, each, wanted);
  const list = value as unknown[];
  switch (op) {
    case 'eq':
      return some(is(value));
    case 'neq':
      return !some(is(value));
    case 'in':
    case 'has_any':
      return list.some((wanted) => some(is(wanted)));
    case 'has_none':
      return !list.some((wanted) => some(is(wanted)));
    case 'has_all':
      return list.every((wanted) => some(is(wanted)));
    case 'contains':
      return some((each) => fold(each).includes(fold(value)));
    case 'starts_with':
      return some((each) => fold(each).startsWith(fold(value)));
    case 'empty':
      return !some((each) => each !== '');
    case 'not_empty':
      return some((each) => each !== '');
    case 'is':
      return some((each) => fold(each) === String(value));
    case 'gt':
      return some((each) => numberOf(each) > (value as number));
    case 'gte':
      return some((each) => numberOf(each) >= (value as number));
    case 'lt':
      return some((each) => numberOf(each) < (value as number));
    case 'lte':
      return some((each) => numberOf(each) <= (value as number));
    default:
      return some((each) => dated({ field, op, value }, each, p, now));
  }
}

function equals(field: string, each: unknown, wanted: unknown): boolean {
  if (field === 'phone') return phoneKey(String(each)) === phoneKey(String(wanted));
  if (typeof wanted === 'number') return numberOf(each) === wanted;
  return fold(each) === fold(wanted);
}

const numberOf = (value: unknown): number =>
  /^-?\d+(?:\.\d+)?$/.test(String(value)) ? Number(value) : Number.NaN;

const DAY_MS = 86_400_000;
const isoDay = (at: number): string => new Date(at).toISOString().slice(0, 10);

function dated({ field, op, value }: Condition, each: unknown, p: Person, now: Date): boolean {
  if (op === 'between' && typeof firstOf(value) === 'number') {
    return numberOf(each) >= Number(firstOf(value)) && numberOf(each) <= Number(lastOf(value));
  }
  if (field === 'created_at' || field === 'last_inbound_at') {
    return timed(op, value, Date.parse(String(each)), now.getTime());
  }
  const day = String(each).slice(0, 10);
  if (!isRealDay(day)) return false;
  if (op === 'day_month_in_next') return birthdays(value as string, now).has(day.slice(5));
  return (field !== 'birth_date' || p.birthYearKnown) && byDay(op, value, day, now);
}

const isRealDay = (day: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(day) && isoDay(Date.parse(day) || 0) === day;

function byDay(op: string, value: unknown, day: string, now: Date): boolean {
  const today = isoDay(now.getTime());
  const span = daysOf(value) * DAY_MS;
  if (op === 'before') return day < String(value);
  if (op === 'after') return day > String(value);
  if (op === 'between') return day >= String(firstOf(value)) && day <= String(lastOf(value));
  if (op === 'in_last') return day >= isoDay(now.getTime() - span) && day <= today;
  return day >= today && day <= isoDay(now.getTime() + span);
}

/** The test asks for durations in days alone. */
const daysOf = (value: unknown): number =>
  typeof value === 'string' ? Number(/^P(\d+)D$/.exec(value)?.[1] ?? 0) : 0;

function timed(op: string, value: unknown, at: number, now: number): boolean {
  const begin = (text: string): number => Date.parse(text);
  const end = (text: string): number =>
    text.length === 10 ? Date.parse(text) + DAY_MS - 1 : Date.parse(text);
  if (op === 'before') return at < begin(value as string);
  if (op === 'after') return at > end(value as string);
  if (op === 'between') {
    const [first, last] = value as [string, string];
    return at >= begin(first) && at <= end(last);
  }
  const span = daysOf(value) * DAY_MS;
  return op === 'in_last' ? at >= now - span : at >= now && at <= now + span;
}

/** The days of the year, as MM-DD, on which somebody is celebrated from today on. */
function birthdays(duration: string, now: Date): Set<string> {
  const days = new Set<string>();
  for (let offset = 0; offset <= daysOf(duration); offset++) {
    const day = isoDay(now.getTime() + offset * DAY_MS);
    days.add(day.slice(5));
    const leap = new Date(Date.UTC(Number(day.slice(0, 4)), 1, 29)).getUTCMonth() === 1;
    if (day.endsWith('-02-28') && !leap) days.add('02-29');
  }
  return days;
}

const firstOf = (pair: unknown): unknown => (pair as [unknown, unknown])[0];
const lastOf = (pair: unknown): unknown => (pair as [unknown, unknown])[1];
