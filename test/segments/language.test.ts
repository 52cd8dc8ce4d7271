import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Context } from '../../src/context.ts';
import { type Database, inWorkspace } from '../../src/db/database.ts';
import { ruleProblems } from '../../src/segments/checking.ts';
import { fieldNamed, OPS, type Op, type Rules } from '../../src/segments/rules.ts';
import { segmentCondition } from '../../src/segments/service.ts';
import { openOwnDatabase } from '../support/database.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import {
  aPerson,
  CUSTOM_VALUES,
  NAMES,
  type Person,
  phonesToAskFor,
  save,
  TAGS,
  type World,
} from './support/people.ts';
import { matches } from './support/plain.ts';
import { type Random, randomFrom } from './support/random.ts';
import { aWorld } from './support/world.ts';

let database: Database;
let ctx: Context;
let world: World;
let people: Person[];

/** Noon, so that days of UTC and times agree; the year ends in the search for birthdays. */
const now = new Date('2026-11-21T12:00:00.000Z');
const SEED = Number(process.env['SEGMENT_SEED'] ?? 20_261_121);
const random = randomFrom(SEED);

beforeAll(async () => {
  database = await openOwnDatabase({ poolSize: 3 });
  ({ ctx } = await aWorkspace(database));
  world = await aWorld(ctx);
  people = Array.from({ length: 80 }, (_, n) => aPerson(random, world, now, n));
  await save(ctx, world, people);
});
afterAll(() => database.close());

async function found(rules: Rules, at = now): Promise<string[]> {
  expect(ruleProblems(rules)).toEqual([]);
  const params: unknown[] = [ctx.organizationId];
  const bind = (value: unknown): string => `$${params.push(value)}`;
  const condition = segmentCondition(rules, bind, { now: at, timeZone: 'UTC' });
  const rows = await inWorkspace(database, ctx.organizationId, (sql) =>
    sql.rows<{ id: string }>(
      `select c.id from contacts c where c.organization_id = $1 and ${condition} order by c.id`,
      params,
    ),
  );
  return rows.map(({ id }) => id);
}

const expected = (rules: Rules, at = now): string[] =>
  people
    .filter((person) => matches(rules, person, world, at))
    .map(({ id }) => id)
    .sort();

const ASKED = [
  ...['name', 'phone', 'email', 'language', 'opted_out', 'tag', 'owner_id', 'origin', 'birth_date'],
  ...['created_at', 'last_inbound_at', 'number_id', 'team_id', 'conversation.status', 'stage'],
  ...['window_open', 'pipeline', 'deal.status', 'deal.value_cents', 'custom.a', 'custom.b'],
  ...['campaign.received', 'campaign.replied'],
];

const DURATIONS = ['P1D', 'P7D', 'P10D', 'P40D', 'P99D', 'P300D'];

function textFor(r: Random, field: string): string {
  const words: Record<string, readonly string[]> = {
    name: [...NAMES.filter(Boolean), 'a', '%', '_', "'"],
    phone: phonesToAskFor(people),
    email: ['ana@EXAMPLE.com', 'bia', 'example'],
    language: ['pt-br', 'en', 'p'],
    tag: TAGS,
    owner_id: world.members,
    origin: ['direct', 'form', 'import', 'campaign', 'team'],
    number_id: world.numbers,
    team_id: world.teams,
    'conversation.status': ['open', 'closed'],
    stage: world.stages,
    pipeline: [world.pipelineId],
    'deal.status': ['open', 'won', 'lost'],
    'campaign.received': world.campaigns,
    'campaign.replied': world.campaigns,
  };
  const own = CUSTOM_VALUES.flatMap((value) => (typeof value === 'string' && value ? [value] : []));
  return r.pick(words[field] ?? own);
}

const dayFor = (r: Random): string =>
  r.pick(['1990-11-21', '2000-01-01', '2026-09-30', '2026-11-21', '2026-11-23', '2024-02-29']);

const NUMBERS = [0, 42, 100, 7.25, -7.5, 5_000];
const aDuration = (r: Random): unknown => r.pick(DURATIONS);
const aNumberFor = (r: Random): unknown => r.pick(NUMBERS);
const noValue = (): undefined => undefined;

type Making = (r: Random, field: string) => unknown;
const isNumeric = (r: Random, field: string): boolean => {
  const kind = fieldNamed(field)?.kind;
  return kind === 'number' || (kind === 'custom' && r.chance(0.3));
};

const pair: Making = (r, field) =>
  isNumeric(r, field)
    ? [r.pick(NUMBERS), r.pick(NUMBERS)].sort((a, b) => a - b)
    : [dayFor(r), dayFor(r)].sort();

const scalar: Making = (r, field) => {
  if (fieldNamed(field)?.kind === 'custom' && r.chance(0.2)) return r.chance(0.5);
  return isNumeric(r, field) ? r.pick(NUMBERS) : textFor(r, field);
};

const VALUES: Readonly<Record<Op, Making>> = {
  empty: noValue,
  not_empty: noValue,
  is: (r) => r.chance(0.5),
  day_month_in_next: aDuration,
  in_last: aDuration,
  in_next: aDuration,
  before: dayFor,
  after: dayFor,
  gt: aNumberFor,
  gte: aNumberFor,
  lt: aNumberFor,
  lte: aNumberFor,
  between: pair,
  eq: scalar,
  neq: scalar,
  contains: textFor,
  starts_with: textFor,
  in: someTexts,
  has_any: someTexts,
  has_all: someTexts,
  has_none: someTexts,
};

function someTexts(r: Random, field: string): string[] {
  return Array.from({ length: 1 + r.below(3) }, () => textFor(r, field));
}

function aCondition(r: Random): Rules {
  const field = r.pick(ASKED);
  const op = r.pick(OPS[fieldNamed(field)?.kind ?? 'text'] as readonly Op[]);
  const value = VALUES[op](r, field);
  return value === undefined ? { field, op } : { field, op, value };
}

function someRules(r: Random, depth: number): Rules {
  if (depth === 0 || r.chance(0.3)) return aCondition(r);
  const parts = Array.from({ length: 1 + r.below(3) }, () => someRules(r, depth - 1));
  const [first] = parts;
  if (r.chance(0.25) && first) return { not: first };
  return r.chance(0.5) ? { all: parts } : { any: parts };
}

describe('the rules of a segment', () => {
  it('find in SQL exactly whom a plain evaluation finds, condition by condition', async () => {
    for (let tries = 0; tries < 400; tries++) {
      const rules = aCondition(random);
      expect({ SEED, rules, ids: await found(rules) }).toEqual({
        SEED,
        rules,
        ids: expected(rules),
      });
    }
  });

  it('find in SQL exactly whom a plain evaluation finds, however they are combined', async () => {
    for (let tries = 0; tries < 200; tries++) {
      const rules = someRules(random, 4);
      expect({ SEED, rules, ids: await found(rules) }).toEqual({
        SEED,
        rules,
        ids: expected(rules),
      });
    }
  });

  it('find a rule and its negation never together, and everybody by one of them', async () => {
    for (let tries = 0; tries < 60; tries++) {
      const rules = someRules(random, 3);
      const yes = await found(rules);
      const no = await found({ not: rules });
      expect([...yes, ...no].sort()).toEqual(people.map(({ id }) => id).sort());
    }
  });

  it.each([
    ['at the end of the year', '2026-12-28T12:00:00Z'],
    ['on the day before a leap day', '2028-02-28T12:00:00Z'],
    ['where 28 February stands for the leap day', '2027-02-27T12:00:00Z'],
    ['on 28 February itself', '2027-02-28T12:00:00Z'],
    ['on 1 March', '2027-03-01T12:00:00Z'],
  ])('find birthdays %s', async (_, at) => {
    for (const value of ['P1D', 'P2D', 'P7D', 'P363D']) {
      const rules: Rules = { field: 'birth_date', op: 'day_month_in_next', value };
      expect([value, await found(rules, new Date(at))]).toEqual([
        value,
        expected(rules, new Date(at)),
      ]);
    }
  });
});
